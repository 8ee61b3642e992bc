import { Temporal } from "temporal-polyfill";
import {
  DEEPEST_LEVELS,
  joinKey,
  nestsTooDeeply,
  type Json,
  type JsonObject,
  type Key,
  type Row,
  type UnreadableRow,
} from "#model";
import { jsonText } from "../../wire/stamps/values.ts";
import type { Folder } from "../folder/folder.ts";
import type { FilesRead } from "../schema.ts";
import { parsed } from "./parse.ts";
import type { Converted } from "./record.ts";
import { repeatedReason, type RepeatedKeys } from "./repeated-keys.ts";

/**
 * Yields the rows of a file that have a key, in order. A row that cannot be read comes with the reason; so does a repeated key, once,
 * because it is unknown which of its rows is the record.
 */
export async function* keyedRows(
  folder: Folder,
  { path, name }: { readonly path: string; readonly name: string },
  read: FilesRead,
  zone: string,
  repeated: RepeatedKeys = new Map(),
): AsyncGenerator<{ key: Key; row: Row } | UnreadableRow> {
  for await (const { line, converted } of convertedRows(folder, path, read, zone)) {
    const { key } = converted;
    if (key === undefined) continue;
    const lines = repeated.get(key);
    if (lines !== undefined) {
      if (lines[0] === line) yield { key, place: `${name}:${line}`, reason: repeatedReason(lines) };
    } else if ("row" in converted) yield converted;
    else yield { key, place: `${name}:${line}`, reason: converted.reason };
  }
}

/** Yields the records of a file with their lines, readable or not. Lines without a record are left out. */
export async function* convertedRows(
  folder: Folder,
  path: string,
  read: FilesRead,
  zone: string,
): AsyncGenerator<{ readonly line: number; readonly converted: Converted }> {
  for await (const one of parsed(await folder.open(path), read))
    if ("record" in one) yield { line: one.line, converted: convert(one.record, read, zone) };
}

/** Converts the values of a record: empty text to null, numbers to exact text with a dot, dates to ISO text. */
export function convert(record: JsonObject, read: FilesRead, zone: string): Converted {
  const members: [string, Json][] = [];
  let fault: string | undefined;
  for (const [name, value] of Object.entries(record)) {
    const converted = converter(name, value, read, zone);
    fault ??= converted.fault;
    members.push([name, converted.value]);
  }
  // Unlike an assignment, this also creates a member for a column named __proto__.
  const row: Row = Object.fromEntries(members);
  const parts: string[] = [];
  for (const name of read.key) {
    const part = row[name] ?? null;
    if (part === null) return { key: undefined, reason: `its key ${name} is empty` };
    if (typeof part !== "string" && typeof part !== "number")
      return {
        key: undefined,
        reason: `its key ${name} is ${typeof part === "boolean" ? "a boolean" : "a list or an object"}`,
      };
    parts.push(String(part));
  }
  const key = joinKey(parts);
  if (nestsTooDeeply(record)) return { key, reason: `it nests deeper than ${DEEPEST_LEVELS} levels` };
  return fault === undefined ? { key, row } : { key, reason: fault };
}

function converter(name: string, value: Json, read: FilesRead, zone: string): { value: Json; fault?: string } {
  if (value === "" || value === null) return { value: null };
  if (read.numbers.includes(name)) {
    const number = exactNumber(jsonText(value), read.decimal);
    return number === undefined
      ? { value, fault: `${name} holds no number with the decimal sign ${read.decimal}` }
      : { value: number };
  }
  const pattern = Object.hasOwn(read.dates, name) ? read.dates[name] : undefined;
  if (pattern === undefined) return { value };
  const date = isoDate(jsonText(value), pattern, zone);
  return date === undefined ? { value, fault: `${name} holds no date like ${pattern}` } : { value: date };
}

/** A thousands separator is followed by three digits. In `1234,56` and `1.5` the sign is the decimal sign of another setting. */
const NUMBERS = {
  ".": /^[+-]?\s*(\d+|\d{1,3}([,\s]\d{2,3})*[,\s]\d{3})(\.\d+)?$/,
  ",": /^[+-]?\s*(\d+|\d{1,3}([.\s]\d{2,3})*[.\s]\d{3})(,\d+)?$/,
};

function exactNumber(text: string, decimal: "." | ","): string | undefined {
  const number = text.trim();
  if (!NUMBERS[decimal].test(number)) return undefined;
  const thousands = decimal === "," ? /[.\s]/g : /[,\s]/g;
  return number.replace(thousands, "").replace(",", ".").replace(/^\+/, "");
}

const PARTS: Readonly<Record<string, string>> = {
  YYYY: "(?<year>\\d{4})",
  MM: "(?<month>\\d{1,2})",
  DD: "(?<day>\\d{1,2})",
  HH: "(?<hour>\\d{1,2})",
  mm: "(?<minute>\\d{2})",
  ss: "(?<second>\\d{2})",
};

/**
 * Converts a date to ISO text. A date alone stays a date; a date with a time becomes an instant in UTC. In the hour that a clock
 * shows twice, the earlier reading is taken; in the one that it skips, the time counts on from before. `$utc` reads both alike. Returns undefined when `text` does not fit the pattern or the calendar.
 */
function isoDate(text: string, pattern: string, zone: string): string | undefined {
  const groups = expression(pattern).exec(text.trim())?.groups;
  if (groups === undefined) return undefined;
  const part = (name: string) => Number(groups[name] ?? 0);
  try {
    const fields = { year: part("year"), month: part("month"), day: part("day") };
    if (groups["hour"] === undefined) return Temporal.PlainDate.from(fields, { overflow: "reject" }).toString();
    const time = { hour: part("hour"), minute: part("minute"), second: part("second") };
    const local = Temporal.PlainDateTime.from({ ...fields, ...time }, { overflow: "reject" });
    return local.toZonedDateTime(zone).toInstant().toString();
  } catch {
    return undefined;
  }
}

function expression(pattern: string): RegExp {
  const escaped = pattern.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^${escaped.replace(/YYYY|MM|DD|HH|mm|ss/g, (name) => PARTS[name] ?? name)}$`);
}
