import { z } from "zod";
import { MINUTE_MS, ParkError, type Json } from "#model";
import { wallMicrosAt, wallText, type Wall } from "./wall.ts";

/** The precision of a stamp on the wire, in microseconds. */
export const PRECISIONS = {
  day: 86_400_000_000,
  minute: 60_000_000,
  second: 1_000_000,
  millisecond: 1000,
  microsecond: 1,
} as const;

export type Precision = keyof typeof PRECISIONS;

export const precisionSchema = z.enum(["day", "minute", "second", "millisecond", "microsecond"]);

/**
 * How a system writes an instant:
 * - `iso` ISO 8601 with `Z` or an offset; - `local` date and time without a zone; - `date` a date alone;
 * - `epoch_ms`, `epoch_s` a number since 1970, in UTC.
 */
export const stampFormatSchema = z.enum(["iso", "local", "date", "epoch_ms", "epoch_s"]);
export type StampFormat = z.infer<typeof stampFormatSchema>;

const MICROS_PER_MS = 1000;
const MICROS_PER_S = 1_000_000;
const MS_PER_S = 1000;
/** How .NET and Dynamics, MySQL, and PHP with a value from MySQL write an empty date. */
const EMPTY_DATE = /^(0001-01-01|0000-00-00|-0001-11-30)/;

/**
 * Returns the wall in `zone` of a stamp on the wire; undefined for null, `false`, empty text and an empty date.
 * @throws {ParkError} E_SOURCE_STAMP when the value is not a stamp of that format.
 */
export function decodeStamp(
  value: Json | undefined,
  format: StampFormat,
  zone: string,
  field: string,
): Wall | undefined {
  if (value === undefined || value === null || value === "" || value === false) return undefined;
  if (typeof value === "string" && EMPTY_DATE.test(value)) return undefined;
  if (format === "epoch_ms" || format === "epoch_s") {
    const number = typeof value === "number" ? value : typeof value === "string" ? Number(value) : Number.NaN;
    if (!Number.isFinite(number)) throw notAStamp(value, format, field);
    return wallMicrosAt(Math.floor(format === "epoch_ms" ? number : number * MS_PER_S), zone);
  }
  const parsed = typeof value === "string" ? parseStampText(value) : undefined;
  if (parsed === undefined) throw notAStamp(value, format, field);
  if (format === "iso" && parsed.offsetMinutes === undefined)
    throw notAStamp(value, format, field, "it has no zone; say `format: local` and the source's `timezone`");
  if (format === "local" && parsed.offsetMinutes !== undefined)
    throw notAStamp(value, format, field, "it has a zone of its own; say `format: iso`");
  return inZone(parsed, zone);
}

/** Returns a wall as the text that a filter of this format expects, cut to whole units of `precision`. */
export function encodeStamp(wall: Wall, format: StampFormat, precision: Precision): string {
  const text = wallText(wall);
  switch (format) {
    case "epoch_ms":
      return String(Math.floor(wall / MICROS_PER_MS));
    case "epoch_s":
      return String(Math.floor(wall / MICROS_PER_S));
    case "date":
      return text.slice(0, 10);
    case "iso":
      return `${cut(text, precision)}Z`;
    case "local":
      return cut(text, precision).replace("T", " ");
  }
}

function cut(text: string, precision: Precision): string {
  if (PRECISIONS[precision] >= PRECISIONS.second) return text.slice(0, 19);
  return precision === "millisecond" ? text.slice(0, 23) : text;
}

function notAStamp(value: Json, format: string, field: string, why?: string): ParkError {
  const found = typeof value === "string" && /^[\d\s.:TZ+/-]*$/i.test(value) ? JSON.stringify(value) : typeof value;
  return new ParkError(
    "E_SOURCE_STAMP",
    `the change stamp ${field} holds ${found}, but ${format} is expected${why === undefined ? "" : `: ${why}`}`,
    { details: { field, format } },
  );
}

const SHAPE = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)?\s?(Z|[+-]\d\d(?::?\d\d)?)?$/i;
const MICRO_DIGITS = 6;

/** The parts of an ISO 8601 or SQL date and time. Digits finer than a microsecond are cut. */
interface ParsedStamp {
  readonly wall: Wall;
  /** Minutes east of UTC, if the text has an offset. */
  readonly offsetMinutes: number | undefined;
}

/** Returns undefined when `text` is not a calendar date, with or without a time. */
function parseStampText(text: string): ParsedStamp | undefined {
  const match = SHAPE.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => +(part ?? 0));
  const [fraction = "", offset] = match.slice(7);
  const ms = Date.UTC(year, month - 1, day, hour, minute, second);
  const date = new Date(ms);
  const real = date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hour < 24 && minute < 60;
  if (!real || second > 59) return undefined;
  const micros = Number(fraction.slice(0, MICRO_DIGITS).padEnd(MICRO_DIGITS, "0"));
  return { wall: ms * MICROS_PER_MS + micros, offsetMinutes: offset === undefined ? undefined : minutesOf(offset) };
}

/** Returns the stamp's wall in `zone`. A stamp without an offset is a wall already. */
function inZone(stamp: ParsedStamp, zone: string): Wall {
  if (stamp.offsetMinutes === undefined) return stamp.wall;
  const utc = stamp.wall - stamp.offsetMinutes * MINUTE_MS * MICROS_PER_MS;
  const ms = Math.floor(utc / MICROS_PER_MS);
  return wallMicrosAt(ms, zone) + (utc - ms * MICROS_PER_MS);
}

function minutesOf(offset: string): number {
  if (offset.toUpperCase() === "Z") return 0;
  const digits = offset.replace(":", "");
  const minutes = Number(digits.slice(1, 3)) * 60 + Number(digits.slice(3, 5));
  return digits.startsWith("-") ? -minutes : minutes;
}
