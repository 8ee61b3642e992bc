import type { Json, Key, Row } from "#model";
import type { KeylessRows } from "../source.ts";
import type { Wall, WallRange } from "./stamps/wall.ts";

/** A row as a system on the wire gave it, with what the walk needs to know about it. */
export interface WireRow {
  readonly key: Key;
  readonly row: Row;
  /** Undefined where the row's stamp is null, or where it cannot be read. */
  readonly stamp: Wall | undefined;
  /** Where and why the row cannot be read; `row` is then empty. */
  readonly odd?: { readonly place: string; readonly reason: string };
}

export interface StampPage {
  readonly rows: readonly WireRow[];
  /** False only where the range holds no further row. */
  readonly more: boolean;
}

export interface KeyPage {
  readonly rows: readonly WireRow[];
  /** Where the next page begins, in the table's own terms; absent after the last page. */
  readonly next?: Json;
}

/** Which rows are paged by key: all, those in a range of stamps, or those without a stamp. */
export type Scope =
  | { readonly kind: "all" }
  | { readonly kind: "range"; readonly range: WallRange }
  | { readonly kind: "null" };

/** What a reader of rows remembers of those without a key. */
export interface KeylessReader {
  /** Rows without a key that were met since `forget`. */
  readonly keyless: readonly KeylessRows[];
  forget(): void;
  /** Rows were read by this stream before: odd ones do not question the whole table. */
  trust(): void;
}

/** What a walk asks of a system: two ways to read a page, both with bounds in the request, never by counting rows off. */
export interface WireTable {
  /** The name that errors give it: an entity set, a model, a path. */
  readonly name: string;
  /** The name of the change stamp in its rows. */
  readonly stampField: string;
  /** False where rows cannot be had in the order of their stamps: a range is then read complete, in any order. */
  readonly sorted: boolean;
  /** False where only the lower bound of a range can be asked for: newer rows come along. */
  readonly bounded: boolean;
  /**
   * True where `byKey` begins a page by comparing keys, so that rows which come and go meanwhile move no others.
   * False where pages are counted off: a walk that must be complete then reads again until nothing new shows up.
   */
  readonly keyset: boolean;
  /** How its rows are taken apart; absent where none can be odd. */
  readonly reader?: KeylessReader;
  /** The first rows of the range, ordered by stamp. */
  byStamp(range: WallRange, signal: AbortSignal): Promise<StampPage>;
  /** The rows of `scope` after `after`, ordered by key; `keysOnly` may leave out all other columns. */
  byKey(scope: Scope, after: Json | undefined, signal: AbortSignal, keysOnly?: boolean): Promise<KeyPage>;
}
