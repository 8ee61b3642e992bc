import { createHash } from "node:crypto";
import { recordLabel, type ErrorCode, type ErrorFacts, type RecordId, type RecordState, type StreamName } from "#model";
import type { HeldRecord } from "#store";

/** Records of one stream in one state with the same cause. */
export interface ErrorGroup {
  /** Short, and stable for the same stream, code, field and cause. Commands and notes use it to name the group. */
  readonly id: string;
  readonly stream: StreamName;
  readonly state: RecordState;
  readonly code: ErrorCode | undefined;
  /** The field that is wrong, where the error names one. */
  readonly field: string | undefined;
  /** The message with the parts that differ between records (ids, keys, numbers) replaced by `…`. */
  readonly message: string;
  readonly count: number;
  /** The first records of the group. */
  readonly examples: readonly RecordId[];
  /** The error of the first one. */
  readonly error: ErrorFacts | undefined;
}

const EXAMPLES = 3;
const ID_LENGTH = 8;

/** Groups records by stream, state, code, field and cause; the largest group comes first. */
export class ErrorGroups {
  readonly #groups = new Map<string, { group: ErrorGroup; count: number; examples: RecordId[] }>();

  add({ id, state, error }: HeldRecord): void {
    const { field, message } = sharedBy({ id, error });
    const name = JSON.stringify([id.stream, state, error?.code, field, message]);
    const known = this.#groups.get(name);
    if (known) {
      known.count += 1;
      if (known.examples.length < EXAMPLES) known.examples.push(id);
      return;
    }
    const group = {
      id: groupIdOf({ id, error }),
      stream: id.stream,
      state,
      code: error?.code,
      field,
      message,
      count: 1,
      examples: [],
      error,
    };
    this.#groups.set(name, { group, count: 1, examples: [id] });
  }

  list(): ErrorGroup[] {
    return [...this.#groups.values()]
      .map(({ group, count, examples }) => ({ ...group, count, examples }))
      .toSorted((a, b) => b.count - a.count);
  }
}

/** The id of the group that a record belongs to. */
export function groupIdOf({ id, error }: Omit<HeldRecord, "state">): string {
  const { field, message } = sharedBy({ id, error });
  const name = JSON.stringify([id.stream, error?.code ?? null, field ?? null, message]);
  return createHash("sha256").update(name).digest("hex").slice(0, ID_LENGTH);
}

/** What the records of a group have in common. */
function sharedBy({ id, error }: Omit<HeldRecord, "state">): Pick<ErrorGroup, "field" | "message"> {
  return { field: fieldOf(error), message: error === undefined ? "" : causeOf(error, id) };
}

/** Codes whose quoted value is the cause: the value that the `map` or the service lacks. */
const quotesCause: ReadonlySet<string> = new Set<ErrorCode>(["E_MAPPING", "E_LOOKUP_UNKNOWN", "E_LOOKUP_AMBIGUOUS"]);

/** The message without the parts that belong to one record: its key, ids, numbers, and lists of them. */
export function causeOf({ code, message }: ErrorFacts, id: RecordId): string {
  const kept = message.split(quotesCause.has(code) ? quotedOrFixed : fixed);
  return kept
    .map((part, at) => (at % 2 === 1 ? part : withoutIds(part, id)))
    .join("")
    .replace(listed, "$1");
}

// Numbers that identify a place or a kind of error, not a record: a host, an API version, a status.
const fixed = /(https?:\/\/[^\s/]+|\/v\d+(?=\/)|answered \d{3}\b)/;
const quotedOrFixed = new RegExp(`("[^"]*"|${fixed.source.slice(1)}`);

// A text may be as long as a value of the ERP. Each pattern starts only at the beginning of a word, so that a long text is
// scanned once.
const listed = /((?:(?<![\w-])[\w-]+\/)?…)(?:, (?:[\w-]+\/)?…)+/g;
const joinedWords = /[\p{L}\p{N}_-]+(?:\|[\p{L}\p{N}_-]+)*/gu;

function withoutIds(text: string, id: RecordId): string {
  return text.replaceAll(recordLabel(id), `${id.stream}/…`).replace(joinedWords, withoutNumbers);
}

/** Replaces a composite key from its first word with a digit on, or a single word with a digit, by `…`. */
function withoutNumbers(words: string): string {
  const parts = words.split("|");
  const at = parts.findIndex((part) => /\d/.test(part));
  return at === -1 ? words : [...parts.slice(0, at), "…"].join("|");
}

function fieldOf(error: ErrorFacts | undefined): string | undefined {
  const field = error?.details["field"];
  return typeof field === "string" ? field : undefined;
}
