import {
  DEEPEST_LEVELS,
  ParkError,
  type Change,
  type ChangeBatch,
  type Json,
  type Row,
  type StreamName,
  type UnreadableRow,
} from "#model";
import type { Unreadable } from "#store";

/** Up to this many unreadable rows are exceptions, however small the batch. */
const FEW = 20;
/** If more than {@link FEW} rows and more than this share of a batch are unreadable, the stream is read in the wrong way. */
const SHARE = 0.1;
/** The most text in one row, in characters. With larger rows a handful of concurrent deliveries would fill the memory. */
const LARGEST = 16_000_000;

/** A batch that can be staged: changes that no record can hold are moved to `unreadable`. */
export interface Screened {
  readonly changes: readonly Change[];
  readonly unreadable: readonly Unreadable[];
}

/**
 * Separates the rows that cannot be read: those that the source reported, and those that no source should return.
 * @throws {ParkError} E_SOURCE_UNREADABLE when they are too many to be exceptions. Nothing of the batch may then be used.
 */
export function screen(stream: StreamName, batch: Omit<ChangeBatch, "cursor">): Screened {
  const changes: Change[] = [];
  const unreadable: Unreadable[] = (batch.unreadable ?? []).map(facts);
  for (const change of batch.changes) {
    const reason = oddity(change);
    if (reason === undefined) changes.push(change);
    else unreadable.push(facts({ key: change.key.toWellFormed(), place: "the whole row", reason }));
  }
  refuseMany(stream, unreadable, changes.length + unreadable.length);
  return { changes, unreadable };
}

function facts({ key, place, reason }: UnreadableRow): Unreadable {
  return {
    key,
    error: {
      code: "E_ROW_UNREADABLE",
      message: `the ERP's row cannot be read: ${place}: ${reason}`,
      details: { place, reason },
    },
  };
}

function oddity(change: Change): string | undefined {
  if (!change.key.isWellFormed()) return "its key is not valid Unicode text (half of a surrogate pair)";
  return change.kind === "upsert" ? oddRow(change.row) : undefined;
}

function oddRow(row: Row): string | undefined {
  const size = textSize(row, 0);
  if (size <= LARGEST) return undefined;
  if (size === Infinity) return `it nests deeper than ${DEEPEST_LEVELS} levels`;
  return `it holds ${size} characters, more than ${LARGEST}; leave out large columns`;
}

/** Counts the characters of all texts in a value. Returns Infinity if it nests too deeply. */
function textSize(value: Json, depth: number): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  if (depth > DEEPEST_LEVELS) return Infinity;
  let size = 0;
  if (Array.isArray(value)) for (const member of value) size += textSize(member, depth + 1);
  else for (const name in value) size += textSize(value[name]!, depth + 1);
  return size;
}

function refuseMany(stream: StreamName, unreadable: readonly Unreadable[], count: number): void {
  if (unreadable.length <= FEW || unreadable.length <= count * SHARE) return;
  const { key, error } = unreadable[0]!;
  throw new ParkError(
    "E_SOURCE_UNREADABLE",
    `${unreadable.length} of ${count} rows of ${stream} cannot be read, so none of them was used; the first is ${key}: ${error.message}`,
    { details: { count: unreadable.length, rows: count, key } },
  );
}
