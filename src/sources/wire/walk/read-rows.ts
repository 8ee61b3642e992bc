import {
  canonicalJson,
  DEEPEST_LEVELS,
  messageOf,
  nestsTooDeeply,
  ParkError,
  type JsonObject,
  type Key,
  type Row,
} from "#model";
import type { KeylessRows } from "../../source.ts";
import type { KeylessReader, WireRow } from "../table.ts";
import type { Wall } from "../stamps/wall.ts";

const REASON_LENGTH = 300;
/** The reason for rows that share a key and differ. */
export const repeated =
  "several rows of one answer have this key and differ; choose fields for `key` that are unique together";

/** How an adapter parses a row of an answer. If one of these functions throws, only that row is odd. */
export interface RowForm {
  /** The names of the table and its change stamp, for messages. */
  readonly name: string;
  readonly stampField: string;
  /** True for an event log, in which one key may occur several times. */
  readonly isLog?: boolean;
  key(raw: JsonObject): Key;
  row(raw: JsonObject): Row;
  stamp(raw: JsonObject): Wall | undefined;
}

/**
 * Reads the rows of answers one by one, so that an odd row does not stop the others. An odd row with a key is marked; one without a
 * key is left out and remembered. Until a row could be read, an answer without a readable row means that the sync file names the
 * wrong field.
 */
export class RowReader implements KeylessReader {
  readonly #form: RowForm;
  #hasKeys = false;
  #hasStamps = false;
  #keyless: { count: number; reason: string } | undefined;

  constructor(form: RowForm) {
    this.#form = form;
  }

  /**
   * Tells the reader that an earlier read, perhaps of an earlier process, got past the first rows, so the fields are right. An odd
   * row then counts as odd even if it comes alone.
   */
  trust(): void {
    this.#hasKeys = true;
    this.#hasStamps = true;
  }

  /**
   * @throws {ParkError} E_SOURCE_KEY, E_SOURCE_STAMP if no row ever had a key, or a stamp that can be read; E_SOURCE_KEY also if no
   * row of the answer has the key field at all, because the ERP's schema changed. Rows that share a key and differ are odd.
   */
  read(raws: readonly JsonObject[], keysOnly = false): WireRow[] {
    const rows: WireRow[] = [];
    let keyless: Error | undefined;
    let hasField = false;
    let oddStamp: Error | undefined;
    for (const raw of raws) {
      const key = attempt(() => this.#form.key(raw));
      if (key.thrown !== undefined) {
        if (!(key.thrown instanceof ParkError && key.thrown.details["isStray"] === true)) keyless = key.thrown;
        hasField ||= !(key.thrown instanceof ParkError && key.thrown.details["isMissing"] === true);
        this.#keyless = { count: (this.#keyless?.count ?? 0) + 1, reason: reasonOf(key.thrown) };
        continue;
      }
      this.#hasKeys = true;
      if (keysOnly) {
        rows.push({ key: key.value, row: {}, stamp: undefined });
        continue;
      }
      const { stampField, name } = this.#form;
      const stamp = attempt(() => this.#form.stamp(raw));
      const row = nestsTooDeeply(raw) ? TOO_DEEP : attempt(() => this.#form.row(raw));
      if (stamp.thrown === undefined && stamp.value !== undefined) this.#hasStamps = true;
      if (stamp.thrown !== undefined) {
        oddStamp = stamp.thrown;
        rows.push(odd(key.value, `${name}.${stampField}`, stamp.thrown));
      } else if (row.thrown === undefined) rows.push({ key: key.value, row: row.value, stamp: stamp.value });
      else rows.push({ ...odd(key.value, name, row.thrown), stamp: stamp.value });
    }
    if (keyless !== undefined && rows.length === 0 && !(this.#hasKeys && hasField)) throw keyless;
    if (oddStamp !== undefined && !this.#hasStamps && rows.every((row) => row.odd !== undefined)) throw oddStamp;
    return keysOnly || this.#form.isLog === true ? rows : markRepeated(rows, this.#form.name);
  }

  /** Rows without a key that were met since {@link forget}. */
  get keyless(): readonly KeylessRows[] {
    if (this.#keyless === undefined) return [];
    const { count, reason } = this.#keyless;
    return [{ place: this.#form.name, reason: `${count === 1 ? "a row has" : "rows have"} no key: ${reason}` }];
  }

  /** Call it before the whole table is read. That read meets all rows without a key, and must find a key first. */
  forget(): void {
    this.#keyless = undefined;
    this.#hasKeys = false;
  }
}

type Attempt<T> =
  | { readonly value: T; readonly thrown?: undefined }
  | { readonly value?: undefined; readonly thrown: Error };

const TOO_DEEP = { thrown: new RangeError(`it nests deeper than ${DEEPEST_LEVELS} levels`) };

/** Returns the value, or an error about the row. Other errors are thrown on. */
function attempt<T>(read: () => T): Attempt<T> {
  try {
    return { value: read() };
  } catch (thrown) {
    if (thrown instanceof ParkError || thrown instanceof RangeError) return { thrown };
    throw thrown;
  }
}

function odd(key: Key, place: string, thrown: Error): WireRow {
  return { key, row: {}, stamp: undefined, odd: { place, reason: reasonOf(thrown) } };
}

/** Turns rows that share a key and differ into one odd row: an answer shows a record once, so it is unknown which row is the record. */
function markRepeated(rows: readonly WireRow[], name: string): WireRow[] {
  const first = new Map<Key, WireRow>();
  const keys = new Set<Key>();
  for (const row of rows) {
    const other = first.get(row.key);
    if (other === undefined) first.set(row.key, row);
    else if (canonicalJson(other.row) !== canonicalJson(row.row)) keys.add(row.key);
  }
  return rows.flatMap((row) => {
    if (!keys.has(row.key)) return row;
    return row === first.get(row.key) ? { ...row, row: {}, odd: { place: name, reason: repeated } } : [];
  });
}

function reasonOf(thrown: unknown): string {
  return messageOf(thrown).slice(0, REASON_LENGTH);
}
