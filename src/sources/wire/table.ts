import type { Json, Key, Row } from "#model";
import type { KeylessRows } from "../source.ts";
import type { Wall, WallRange } from "./stamps/wall.ts";

/** A row as the ERP returned it, with what the walk needs to know about it. */
export interface WireRow {
  readonly key: Key;
  readonly row: Row;
  /** Undefined if the row's stamp is null or cannot be read. */
  readonly stamp: Wall | undefined;
  /** Where and why the row cannot be read; `row` is then empty. */
  readonly odd?: { readonly place: string; readonly reason: string };
}

export interface StampPage {
  readonly rows: readonly WireRow[];
  /** False only if the range holds no further row. */
  readonly more: boolean;
}

export interface KeyPage {
  readonly rows: readonly WireRow[];
  /** Where the next page begins, in the table's own form; absent after the last page. */
  readonly next?: Json;
}

/** Which rows to page by key: all, those in a range of stamps, or those without a stamp. */
export type Scope =
  | { readonly kind: "all" }
  | { readonly kind: "range"; readonly range: WallRange }
  | { readonly kind: "null" };

/** What a reader of rows remembers about those without a key. */
export interface KeylessReader {
  /** Rows without a key that were met since `forget`. */
  readonly keyless: readonly KeylessRows[];
  forget(): void;
  /** Tells the reader that this stream has read rows before, so that odd ones do not call the whole table into question. */
  trust(): void;
}

/** What a walk needs from an ERP: pages by stamp, and pages by key. */
export interface WireTable {
  /** The table's name in errors: an entity set, a model, a path. */
  readonly name: string;
  /** The name of the change stamp in its rows. */
  readonly stampField: string;
  /** False if rows cannot be read in the order of their stamps. A range is then read completely, in any order. */
  readonly sorted: boolean;
  /** False if only the lower bound of a range can be requested. Answers then also contain newer rows. */
  readonly bounded: boolean;
  /**
   * True if `byKey` begins a page by comparing keys, so that rows that come and go meanwhile move no others. False if pages are
   * counted off: a walk that must be complete then reads again until nothing new shows up.
   */
  readonly keyset: boolean;
  /** Parses the table's rows; absent if none can be odd. */
  readonly reader?: KeylessReader;
  /** Returns the first rows of the range, ordered by stamp. */
  byStamp(range: WallRange, signal: AbortSignal): Promise<StampPage>;
  /** Returns the rows of `scope` after `after`, ordered by key. `keysOnly` allows it to omit all other columns. */
  byKey(scope: Scope, after: Json | undefined, signal: AbortSignal, keysOnly?: boolean): Promise<KeyPage>;
  /**
   * Returns the row with this key as `byKey` would show it; undefined if the list does not have it. Absent if only a walk over the list
   * can tell.
   */
  find?(key: Key, signal: AbortSignal): Promise<WireRow | undefined>;
}
