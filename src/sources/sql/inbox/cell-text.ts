import { ParkError, shortened, type ReturnValue } from "#model";
import type { InboxColumn } from "../../inbox.ts";
import { offsetAtWall, wallMillisAt } from "../../time/window.ts";
import { parseStampText, type StampParts } from "../markers/stamp-text.ts";

/** How much of a value a message shows. */
const SHOWN = 40;
/** Length of `2026-12-01`. */
const DAY_LENGTH = 10;

interface Place {
  readonly table: string;
  /** Of date-times without one, in the database and in values. */
  readonly zone: string;
}

/**
 * Returns a value as the text that a column takes without changing it: databases round, cut off or reinterpret what does not fit, each in its
 * own way and some silently.
 * @throws {ParkError} E_RETURN_INBOX with the detail `column` when the value does not fit.
 */
export function cellText(value: ReturnValue, column: InboxColumn, place: Place): string | null {
  if (value === null) {
    if (column.isRequired) throw misfit(column, place, "must not be NULL, and the return has no value for it");
    return null;
  }
  const text = typeof value === "number" ? plainNumber(value) : String(value);
  switch (column.kind) {
    case "integer":
      return whole(typeof value === "boolean" ? String(Number(value)) : text, column, place);
    case "decimal":
      return decimal(text, column, place);
    case "float":
      if (!NUMBER.test(text)) throw misfit(column, place, `takes a number, found ${shown(text)}`);
      return text;
    case "boolean":
      if (!/^(true|false|0|1)$/.test(text)) throw misfit(column, place, `takes true or false, found ${shown(text)}`);
      return text === "true" || text === "1" ? "1" : "0";
    case "date":
    case "datetime":
    case "instant":
      return dated(text, column, place);
    case "any":
    case "any-datetime":
      return typeof value === "boolean" && !/char|text|clob/i.test(column.declared) ? String(Number(value)) : text;
    case "text":
      return fitting(text, column, place);
    case "json":
    case "time":
      return text;
    case "binary":
    case "rowversion":
      throw misfit(column, place, "holds binary data, which no return has");
  }
}

const NUMBER = /^-?\d+(\.\d+)?$/;

function fitting(text: string, column: InboxColumn, place: Place): string {
  if (text.includes("\0")) throw misfit(column, place, "takes no character 0, which the value holds");
  const { length } = column;
  if (length === undefined) return text;
  const found = lengthOf(text, length.in);
  if (found <= length.most) return text;
  const unit = length.in === "units" ? "characters" : length.in;
  throw misfit(column, place, `takes ${length.most} ${unit}, found ${found}: ${shown(text)}`);
}

function lengthOf(text: string, unit: NonNullable<InboxColumn["length"]>["in"]): number {
  if (unit === "units") return text.length;
  return unit === "bytes" ? Buffer.byteLength(text) : Array.from(text).length;
}

function whole(text: string, column: InboxColumn, place: Place): string {
  const [, digits] = /^(-?\d+)(?:\.0+)?$/.exec(text) ?? [];
  if (digits === undefined) throw misfit(column, place, `takes whole numbers, found ${shown(text)}`);
  return digits;
}

function decimal(text: string, column: InboxColumn, place: Place): string {
  const [, ahead = "", behind = ""] = /^-?0*(\d*)(?:\.(\d*?)0*)?$/.exec(text) ?? [];
  if (!NUMBER.test(text)) throw misfit(column, place, `takes a number, found ${shown(text)}`);
  const { digits } = column;
  if (digits && behind.length > digits.behind)
    throw misfit(column, place, `takes ${digits.behind} digits behind the point, found ${shown(text)}`);
  if (digits && ahead.length > digits.all - digits.behind)
    throw misfit(column, place, `takes ${digits.all - digits.behind} digits before the point, found ${shown(text)}`);
  return text;
}

/** A moment as the column's reading of it, in milliseconds. */
function dated(text: string, column: InboxColumn, place: Place): string {
  const parts = parseStampText(text);
  // A day that no month has would become another one.
  if (!parts || !stamp(parts.wallMs).startsWith(text.slice(0, DAY_LENGTH)))
    throw misfit(column, place, `takes a date or a date-time, found ${shown(text)}`);
  if (column.kind !== "instant") {
    const wall = stamp(parts.zone === "" ? parts.wallMs : wallMillisAt(parts.utcMs, place.zone));
    return column.kind === "date" ? wall.slice(0, DAY_LENGTH) : wall;
  }
  const utc = stamp(utcMsOf(parts, place.zone));
  // TIMESTAMP of MariaDB and MySQL takes no offset; the session's zone is UTC.
  return /^timestamp(\(\d\))?$/i.test(column.declared) ? utc : `${utc} +00:00`;
}

function utcMsOf({ zone, utcMs, wallMs }: StampParts, ofSource: string): number {
  if (zone !== "") return utcMs;
  return parseStampText(`${stamp(wallMs)}${offsetAtWall(wallMs, ofSource)}`)?.utcMs ?? wallMs;
}

/** `2026-12-01 10:00:00`, with milliseconds if there are any. */
function stamp(ms: number): string {
  if (Number.isNaN(ms)) return "";
  return new Date(ms)
    .toISOString()
    .replace("T", " ")
    .replace(/(\.000)?Z$/, "");
}

/** A number in digits, without an exponent. */
function plainNumber(value: number): string {
  if (Number.isInteger(value)) return BigInt(value).toString();
  const text = String(value);
  return text.includes("e") ? value.toFixed(20).replace(/0+$/, "") : text;
}

function shown(text: string): string {
  return JSON.stringify(shortened(text, SHOWN));
}

function misfit({ name, declared }: InboxColumn, { table }: Place, what: string): ParkError {
  return new ParkError("E_RETURN_INBOX", `column ${name} of ${table} (${declared}) ${what}`, {
    details: { table, column: name },
  });
}
