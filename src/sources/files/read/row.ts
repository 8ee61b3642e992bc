import type { Json, JsonObject, Key, Row } from "#model";
import { jsonText } from "../../wire/walk/json-value.ts";
import { keyOf, keyParts } from "../../wire/stamps/values.ts";
import { isoDate } from "./date-pattern.ts";
import type { FilesRead } from "../schema.ts";

/** A record with its key; or why it can be none, with its key where that much can be read. */
export type Converted =
  | { readonly key: Key; readonly row: Row }
  | { readonly key: Key | undefined; readonly reason: string };

/** Empty text becomes null, numbers exact text with a dot, dates ISO text. */
export function convert(record: JsonObject, read: FilesRead, zone: string): Converted {
  const members: [string, Json][] = [];
  let fault: string | undefined;
  for (const [name, value] of Object.entries(record)) {
    const converted = converter(name, value, read, zone);
    fault ??= converted.fault;
    members.push([name, converted.value]);
  }
  // Unlike an assignment this also makes a member of a column that is called __proto__.
  const row: Row = Object.fromEntries(members);
  const missing = read.key.find((name) => (row[name] ?? null) === null);
  if (missing !== undefined) return { key: undefined, reason: `its key ${missing} is empty` };
  if (keyParts(row, read.key).some((part) => typeof part === "boolean"))
    return { key: undefined, reason: "its key is a boolean" };
  const key = keyOf(row, read.key);
  return fault === undefined ? { key, row } : { key, reason: fault };
}

function converter(name: string, value: Json, read: FilesRead, zone: string): { value: Json; fault?: string } {
  if (value === "" || value === null) return { value: null };
  if (read.numbers.includes(name)) {
    const number = exactNumber(jsonText(value), read.decimal);
    return number === undefined ? { value, fault: `${name} holds no number` } : { value: number };
  }
  const pattern = Object.hasOwn(read.dates, name) ? read.dates[name] : undefined;
  if (pattern === undefined) return { value };
  const date = isoDate(jsonText(value), pattern, zone);
  return date === undefined ? { value, fault: `${name} holds no date like ${pattern}` } : { value: date };
}

function exactNumber(text: string, decimal: "." | ","): string | undefined {
  const thousands = decimal === "," ? /[.\s]/g : /[,\s]/g;
  const plain = text.trim().replace(thousands, "").replace(",", ".");
  return /^[+-]?\d+(\.\d+)?$/.test(plain) ? plain.replace(/^\+/, "") : undefined;
}
