import type { HttpAnswer } from "#http";
import type { Json, JsonObject, Key, Row } from "#model";
import { decodeStamp, type Precision, type StampFormat } from "../wire/stamps/stamp-format.ts";
import { valueAt } from "../wire/stamps/values.ts";
import type { Wall, WallRange } from "../wire/stamps/wall.ts";
import type { WebRequest } from "../wire/client/web-client.ts";

/** One page that is wanted. */
export interface RestQuery {
  readonly order: "stamp" | "key";
  readonly range?: WallRange;
  /** Rows without a stamp only. */
  readonly nulls?: boolean;
  /** Where the page begins, as the page before said. */
  readonly page?: Json;
  readonly keysOnly: boolean;
}

/** What came, and whether it looks like a full page. */
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
  /** The zone of stamps in answers, where filters go by another one. */
  readonly answerZone?: string;
  /** Unwraps a value. */
  readonly plain?: (value: Json) => Json;
}

/** The stamp at a path of each row; nothing where the stream has none. */
export function stamped(
  field: string | null,
  { zone, precision, format, answerZone = zone, plain = (value) => value }: StampWords,
): Pick<RestShape, "stamp"> {
  if (field === null) return {};
  const decode = (row: JsonObject) => decodeStamp(plain(valueAt(row, field) ?? null), format, answerZone, field);
  return { stamp: { field, zone, precision, decode } };
}

/** How one API is asked for one kind of record: made by configuration, or by a preset in code. Pure. */
export interface RestShape {
  readonly name: string;
  readonly keyFields: readonly string[];
  readonly stamp?: RestStamp;
  readonly sorted: boolean;
  readonly bounded: boolean;
  readonly keyset: boolean;
  readonly nulls: boolean;
  readonly pageSize: number;
  /** True where the API leaves rows out of a page silently: only an empty page is the last. */
  readonly gaps?: boolean;
  request(query: RestQuery): WebRequest;
  rows(answer: Json): readonly JsonObject[];
  /** Where the next page begins; undefined after the last. */
  next(page: RestPage): Json | undefined;
  /** The request for one record; undefined where the API cannot be asked for one: it is then looked for in all pages. */
  one?(key: Key): WebRequest;
  oneRow?(answer: Json): JsonObject | undefined;
  tidy?(row: JsonObject): Row;
}

/** What a preset makes of a stream's `read`. */
export interface RestShapes {
  readonly tracks: readonly [RestShape, ...RestShape[]];
  readonly deletions?: RestShape;
  /** The list of deletions leaves some out. */
  readonly hasSilentDeletions?: true;
}
