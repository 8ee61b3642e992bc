import { shortened, StopError } from "#model";

/** A place in the sync file: member names and list positions, from the top. */
export type FilePath = readonly (string | number)[];

/** One problem of the sync file. */
export interface Problem {
  readonly path: FilePath;
  /** What was found and what was expected; never a value of the environment. */
  readonly message: string;
  /** Points at the member's name instead of its value. */
  readonly atName?: boolean;
  /** Characters from the beginning of the value's text, where only a part of it is wrong. */
  readonly offset?: number;
}

/** A problem with its place; line and column count from 1. */
export interface PlacedProblem {
  readonly line: number;
  readonly column: number;
  /** `streams.customers.fields.name` */
  readonly path: string;
  readonly message: string;
}

/** Names and messages may quote the file, however long that is. */
const LONGEST_TEXT = 4_000;

export function pathText(path: FilePath): string {
  return shortened(
    path.map((part, at) => (typeof part === "number" ? `[${part}]` : at === 0 ? part : `.${part}`)).join(""),
    LONGEST_TEXT,
  );
}

/**
 * All problems of a file as one error, in reading order, one line each: `file:line:column path: what is wrong`.
 * `details.problems` holds the same facts.
 */
export function syncFileError(file: string, problems: readonly PlacedProblem[]): StopError {
  const sorted = inReadingOrder(problems);
  return new StopError("E_SYNC_FILE", placedText(file, sorted), { details: { file, problems: sorted } });
}

/** One line per problem, in reading order: `file:line:column path: what is wrong`. */
export function placedText(file: string, problems: readonly PlacedProblem[]): string {
  const lines = inReadingOrder(problems).map(({ line, column, path, message }) => {
    const subject = path === "" ? "" : `${path}: `;
    return `${file}:${line}:${column} ${subject}${message}`;
  });
  return lines.join("\n");
}

function inReadingOrder(problems: readonly PlacedProblem[]) {
  return problems
    .map((problem) => ({ ...problem, message: shortened(problem.message, LONGEST_TEXT) }))
    .toSorted((a, b) => a.line - b.line || a.column - b.column);
}
