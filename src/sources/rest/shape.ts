import type { HttpAnswer } from "#http";
import type { Json, JsonObject, Key, Row } from "#model";
import { decodeStamp, type Precision, type StampFormat } from "../wire/stamps/stamp-format.ts";
import { valueAt } from "../wire/stamps/values.ts";
import type { Wall, WallRange } from "../wire/stamps/wall.ts";
import type { WebRequest } from "../wire/client/web-client.ts";

/** A page to request. */
export interface RestQuery {
  readonly order: "stamp" | "key";
  readonly range?: WallRange;
  /** Whether to request only rows without a stamp. */
  readonly nulls?: boolean;
  /** Where the page begins, as the page before it returned. */
  readonly page?: Json;
  readonly keysOnly: boolean;
}

/** An answer, and whether it looks like a full page. */
export interface RestPage {
  readonly query: RestQuery;
  readonly json: Json;
  readonly answer: HttpAnswer;
  readonly rows: readonly JsonObject[];
  readonly full: boolean;
}

export interface RestStamp {
  readonly field: string;
  /** The zone of the clock that writes it. */
  readonly zone: string;
  readonly precision: Precision;
  decode(row: JsonObject): Wall | undefined;
}

interface StampWords extends Pick<RestStamp, "zone" | "precision"> {
  readonly format: StampFormat;
  /** The zone of stamps in answers, if filters use another one. */
  readonly answerZone?: string;
  /** Unwraps a value. */
  readonly plain?: (value: Json) => Json;
}

/** Returns the stamp at a path of each row; nothing if the stream has none. */
export function stamped(
  field: string | null,
  { zone, precision, format, answerZone = zone, plain = (value) => value }: StampWords,
): Pick<RestShape, "stamp"> {
  if (field === null) return {};
  const decode = (row: JsonObject) => decodeStamp(plain(valueAt(row, field) ?? null), format, answerZone, field);
  return { stamp: { field, zone, precision, decode } };
}

/** How to ask one API for one kind of record, by configuration or by a preset in code. Pure. */
export interface RestShape {
  readonly name: string;
  readonly keyFields: readonly string[];
  readonly stamp?: RestStamp;
  readonly sorted: boolean;
  readonly bounded: boolean;
  readonly keyset: boolean;
  readonly nulls: boolean;
  readonly pageSize: number;
  /** True if the API silently leaves rows out of a page. Then only an empty page is the last. */
  readonly gaps?: boolean;
  request(query: RestQuery): WebRequest;
  rows(answer: Json): readonly JsonObject[];
  /** Returns where the next page begins; undefined after the last. */
  next(page: RestPage): Json | undefined;
  /** Returns the request for one record. Absent if the API cannot be asked for one; all pages are then searched. */
  one?(key: Key): WebRequest;
  oneRow?(answer: Json): JsonObject | undefined;
  /** True if `one` answers only for records of the list. */
  readonly isListed?: true;
  tidy?(row: JsonObject): Row;
}

/** What a preset builds from a stream's `read`. */
export interface RestShapes {
  readonly tracks: readonly [RestShape, ...RestShape[]];
  readonly deletions?: RestShape;
  /** Set if the list of deletions omits some. */
  readonly hasSilentDeletions?: true;
}
