import { hash } from "node:crypto";
import { canonicalJson, type Json } from "./json.ts";
import type { Key, Row } from "./record.ts";

/** A record as an ERP showed it at a given time, or the ERP's report that it is gone. */
export type Change =
  | { readonly kind: "upsert"; readonly key: Key; readonly row: Row }
  | { readonly kind: "delete"; readonly key: Key };

/** A row with a known key and unreadable content. It is not delivered; all other rows are. */
export interface UnreadableRow {
  readonly key: Key;
  /** Where a person finds the row: a file with its line, or a table with its column. */
  readonly place: string;
  /** What was found and what was expected; never the whole row. The same row gives the same text at each poll. */
  readonly reason: string;
}

/** Where the next poll of a stream begins. Only the adapter that made it interprets it; all others store it unchanged. */
export type Cursor = Json;

/** What became of a file that a source reads as a whole. */
export interface FileReport {
  readonly name: string;
  /** Why rows of it are missing; absent if it was read without fault. `place` is the file, with its line where one is to blame. */
  readonly fault?: {
    readonly code: "E_SOURCE_FILE" | "E_SOURCE_FILE_LINE";
    readonly place: string;
    readonly reason: string;
  };
}

/** Changes of a stream, oldest first, and the cursor to resume from once they are stored. */
export interface ChangeBatch {
  readonly changes: readonly Change[];
  /** Rows that could not be read; their keys are not in `changes`. */
  readonly unreadable?: readonly UnreadableRow[];
  /** Files that were read to their end or refused since the batch before. */
  readonly files?: readonly FileReport[];
  /** Valid once `changes` are stored: a poll that resumes here sees everything after them. */
  readonly cursor: Cursor;
}

/** Hash of a change's content, as 32 hexadecimal digits. Equal hashes mean that the ERP shows the same record as before. */
export function contentHash(change: Change): string {
  const content = change.kind === "upsert" ? canonicalJson(change.row) : "deleted";
  return hash("sha256", content).slice(0, 32);
}
