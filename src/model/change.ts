import { hash } from "node:crypto";
import { canonicalJson, type Json } from "./json.ts";
import type { Key, Row } from "./record.ts";

/** A record as an ERP showed it at a moment, or the ERP's word that it is gone. */
export type Change =
  | { readonly kind: "upsert"; readonly key: Key; readonly row: Row }
  | { readonly kind: "delete"; readonly key: Key };

/** A row whose key is known and whose content cannot be read as it should. It is kept from delivery; all others continue. */
export interface UnreadableRow {
  readonly key: Key;
  /** Where a person finds it: a file with its line, a table with its column. */
  readonly place: string;
  /** What was found and what was expected; never the whole row. The same row gives the same text at each poll. */
  readonly reason: string;
}

/** Where the next poll of a stream begins. Only the adapter that made it reads it; everyone else stores it as it is. */
export type Cursor = Json;

/** Some changes of a stream, oldest first, and the place to resume once they are stored. */
export interface ChangeBatch {
  readonly changes: readonly Change[];
  /** Rows that could not be read. None of their keys is in `changes`. */
  readonly unreadable?: readonly UnreadableRow[];
  /** Valid once `changes` are stored: a poll that resumes here sees everything after them. */
  readonly cursor: Cursor;
}

/** What a change says, as 32 hexadecimal digits: equal hashes mean that the ERP shows the same record as before. */
export function contentHash(change: Change): string {
  const content = change.kind === "upsert" ? canonicalJson(change.row) : "deleted";
  return hash("sha256", content).slice(0, 32);
}
