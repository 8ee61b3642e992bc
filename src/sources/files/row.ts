import type { Json, JsonObject, Key, Row } from "#model";
import { jsonText } from "../wire/json-value.ts";
import { keyOf, keyParts } from "../wire/values.ts";
import { isoDate } from "./date-pattern.ts";
import type { FilesRead } from "./schema.ts";

/** A record with its key; or why it can be none. */
export type Converted = { readonly key: Key; readonly row: Row } | { readonly reason: string };

/** Empty text becomes null, numbers exact text with a dot, dates ISO text. */
export function convert(record: JsonObject, read: FilesRead, zone: string): Converted {
  const row: Record<string, Json> = {};
  for (const [name, value] of Object.entries(record)) {
    if (value === "" || value === null) row[name] = null;
    else if (read.numbers.includes(name)) {
      const number = exactNumber(jsonText(value), read.decimal);
      if (number === undefined) return { reason: `${name} holds no number` };
      row[name] = number;
    } else if (read.dates[name] !== undefined) {
      const date = isoDate(jsonText(value), read.dates[name], zone);
      if (date === undefined) return { reason: `${name} holds no date like ${read.dates[name]}` };
      row[name] = date;
    } else row[name] = value;
  }
  const missing = read.key.find((name) => (row[name] ?? null) === null);
  if (missing !== undefined) return { reason: `its key ${missing} is empty` };
  if (keyParts(row, read.key).some((part) => typeof part === "boolean")) return { reason: "its key is a boolean" };
  return { key: keyOf(row, read.key), row };
}

function exactNumber(text: string, decimal: "." | ","): string | undefined {
  const thousands = decimal === "," ? /[.\s]/g : /[,\s]/g;
  const plain = text.trim().replace(thousands, "").replace(",", ".");
  return /^[+-]?\d+(\.\d+)?$/.test(plain) ? plain.replace(/^\+/, "") : undefined;
}
