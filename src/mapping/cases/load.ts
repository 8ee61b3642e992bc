import { StopError, type ResourceName } from "#model";
import type { Stream } from "../contract.ts";
import type { ReturnStream } from "../returns-contract.ts";
import { placedText, type Problem } from "../check/problem.ts";
import { checkShape } from "../check/shape-problem.ts";
import { YamlText } from "../check/yaml-text.ts";
import { didYouMean } from "../did-you-mean.ts";
import { caseFile, type CaseFileWords, type CaseWords, type ReturnCaseWords } from "./words.ts";

/** One row and what the sync file should make of it. */
export interface MappingCase extends CaseWords {
  /** Its name in reports: the case's own name, else its stream and number. */
  readonly title: string;
  readonly line: number;
}

/** A record of the service and what the sync file should make of it for the ERP. */
export interface ReturnCase extends ReturnCaseWords {
  readonly title: string;
  readonly line: number;
}

/** Cases, with what the service is assumed to hold. */
export interface MappingCases {
  /** Records of the service by resource, for lookups. */
  readonly names: NonNullable<CaseFileWords["names"]>;
  /** Service ids by stream and key; null: the record will never be bound. */
  readonly bound: NonNullable<CaseFileWords["bound"]>;
  readonly cases: readonly MappingCase[];
  readonly returns: readonly ReturnCase[];
}

interface CaseContext {
  /** The file's name in messages. */
  readonly file: string;
  readonly streams: readonly Pick<Stream, "name" | "ownedFields">[];
  readonly resources: ReadonlySet<ResourceName>;
  /** Absent: the cases of returns are not looked at. */
  readonly returns?: readonly Pick<ReturnStream, "name" | "columns">[];
}

/**
 * Parses and checks the whole text of mapping cases.
 * @throws {StopError} E_TEST_FILE with every problem in reading order: `file:line:column path: what is wrong`.
 */
export function loadMappingCases(
  text: string,
  { file, streams, resources, returns: returned }: CaseContext,
): MappingCases {
  const yaml = new YamlText(text);
  const { value, problems: shape } = yaml.problems.length > 0 ? { problems: [] } : checkShape(caseFile, yaml.value, []);
  const strange =
    value === undefined ? shape : [...unknownNames(value, streams, resources), ...unknownReturns(value, returned)];
  const problems = [...yaml.problems, ...strange.map((problem) => yaml.place(problem))];
  if (value === undefined || problems.length > 0)
    throw new StopError("E_TEST_FILE", placedText(file, problems), { details: { file } });
  const { names = {}, bound = {}, cases, returns } = value;
  const placed = <Words extends CaseWords | ReturnCaseWords>(words: Words, list: string, at: number) => ({
    ...words,
    title: words.name ?? `${words.stream} (case ${at + 1})`,
    line: yaml.place({ path: [list, at], message: "" }).line,
  });
  return {
    names,
    bound,
    cases: cases.map((words, at) => placed(words, "cases", at)),
    returns: returns.map((words, at) => placed(words, "returns", at)),
  };
}

function unknownReturns({ returns }: CaseFileWords, known: CaseContext["returns"]): Problem[] {
  if (known === undefined) return [];
  const names = known.map(({ name }) => name);
  return returns.flatMap(({ stream: name, expect }, at): Problem[] => {
    const stream = known.find((each) => each.name === name);
    if (stream === undefined) {
      const hint = didYouMean(name, names) || `, expected one of ${names.join(", ")}`;
      return [{ path: ["returns", at, "stream"], message: `found the unknown stream of returns "${name}"${hint}` }];
    }
    const columns = Object.keys(expect.fields ?? {}).filter((column) => !stream.columns.includes(column));
    return columns.map((column) => ({
      path: ["returns", at, "expect", "fields", column],
      atName: true,
      message: `found the unknown column of ${name} "${column}"${didYouMean(column, stream.columns)}`,
    }));
  });
}

function unknownNames(
  { names = {}, bound = {}, cases }: CaseFileWords,
  streams: CaseContext["streams"],
  resources: CaseContext["resources"],
): Problem[] {
  const known = streams.map(({ name }) => name);
  const unknown = (what: string, name: string, of: Iterable<string>) =>
    `found the unknown ${what} "${name}"${didYouMean(name, of) || (what === "stream" ? `, expected one of ${known.join(", ")}` : "")}`;
  return [
    ...Object.entries(names).flatMap(([name, records]): Problem[] => [
      ...(resources.has(name)
        ? []
        : [{ path: ["names", name], atName: true, message: unknown("resource", name, resources) }]),
      ...records.flatMap(({ id }, at) =>
        typeof id === "number" ? [] : [{ path: ["names", name, at], message: "expected an id, a whole number" }],
      ),
    ]),
    ...Object.keys(bound)
      .filter((name) => !known.includes(name))
      .map((name) => ({ path: ["bound", name], atName: true, message: unknown("stream", name, known) })),
    ...cases.flatMap(({ stream: name, row, gone, expect }, at): Problem[] => {
      const stream = streams.find((each) => each.name === name);
      if (!stream) return [{ path: ["cases", at, "stream"], message: unknown("stream", name, known) }];
      if (row === undefined && gone === undefined)
        return [
          { path: ["cases", at], message: "expected row, or gone: true for a record that the ERP no longer has" },
        ];
      const fields = Object.keys(expect.fields ?? {}).filter((field) => !stream.ownedFields.includes(field));
      return fields.map((field) => ({
        path: ["cases", at, "expect", "fields", field],
        atName: true,
        message: unknown(`field of ${name}`, field, stream.ownedFields),
      }));
    }),
  ];
}
