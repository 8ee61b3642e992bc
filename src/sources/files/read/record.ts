import type { JsonObject, Key, Row } from "#model";
import type { BadLine } from "../file-fault.ts";

/** A record of a file, or a line without one. `line` counts from 1; in JSON and XML it counts records. */
export type Parsed = { readonly line: number; readonly record: JsonObject } | BadLine;

/** A record with its key, or the reason why it cannot be used, with its key if that can be read. */
export type Converted =
  | { readonly key: Key; readonly row: Row }
  | { readonly key: Key | undefined; readonly reason: string };
