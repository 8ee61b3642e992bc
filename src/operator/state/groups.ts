import { createHash } from "node:crypto";
import { recordLabel, type ErrorCode, type ErrorFacts, type RecordId, type RecordState, type StreamName } from "#model";
import type { HeldRecord } from "#store";

/** Records of one stream in one state that met the same thing. */
export interface ErrorGroup {
  /** Short, and the same for the same stream, code, field and cause: what commands and notes name the group by. */
  readonly id: string;
  readonly stream: StreamName;
  readonly state: RecordState;
  readonly code: ErrorCode | undefined;
  /** The field that is wrong, where the error names one. */
  readonly field: string | undefined;
  /** The message without what differs from record to record: ids, keys and numbers are `…`. */
  readonly message: string;
  readonly count: number;
  /** The first records of the group. */
  readonly examples: readonly RecordId[];
  /** The error of the first one. */
  readonly error: ErrorFacts | undefined;
}

const EXAMPLES = 3;
const ID_LENGTH = 8;

/** Gathers records into groups by stream, state, code, field and cause; the largest group first. */
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

/** Codes whose quoted value is the cause: it is what the `map` or the service lacks. */
const quotesCause: ReadonlySet<string> = new Set<ErrorCode>(["E_MAPPING", "E_LOOKUP_UNKNOWN", "E_LOOKUP_AMBIGUOUS"]);

/** The message without what belongs to one record: its key, ids, numbers, and lists of them. */
export function causeOf({ code, message }: ErrorFacts, id: RecordId): string {
  const kept = message.split(quotesCause.has(code) ? quotedOrFixed : fixed);
  return kept
    .map((part, at) => (at % 2 === 1 ? part : withoutIds(part, id)))
    .join("")
    .replace(listed, "$1");
}

// Numbers that say where and what, not which record: a host, the version of an API, a status.
const fixed = /(https?:\/\/[^\s/]+|\/v\d+(?=\/)|answered \d{3}\b)/;
const quotedOrFixed = new RegExp(`("[^"]*"|${fixed.source.slice(1)}`);

// A text may be as long as what the ERP holds: each pattern begins at the beginning of a word only, so that a long one is read once.
const listed = /((?:(?<![\w-])[\w-]+\/)?…)(?:, (?:[\w-]+\/)?…)+/g;
const joinedWords = /[\p{L}\p{N}_-]+(?:\|[\p{L}\p{N}_-]+)*/gu;

function withoutIds(text: string, id: RecordId): string {
  return text.replaceAll(recordLabel(id), `${id.stream}/…`).replace(joinedWords, withoutNumbers);
}

/** A composite key from its first word with a digit on, or a single word with one, as `…`. */
function withoutNumbers(words: string): string {
  const parts = words.split("|");
  const at = parts.findIndex((part) => /\d/.test(part));
  return at === -1 ? words : [...parts.slice(0, at), "…"].join("|");
}

function fieldOf(error: ErrorFacts | undefined): string | undefined {
  const field = error?.details["field"];
  return typeof field === "string" ? field : undefined;
}
