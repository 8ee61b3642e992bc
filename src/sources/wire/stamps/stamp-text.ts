import { wallMicrosAt, type Wall } from "./wall.ts";

const SHAPE = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)?\s?(Z|[+-]\d\d:?\d\d)?$/i;
const MICRO_DIGITS = 6;
const MICROS_PER_MS = 1000;
const MS_PER_MINUTE = 60_000;

/** An ISO 8601 or SQL date and time taken apart; digits finer than a microsecond are cut. */
export interface ParsedStamp {
  readonly wall: Wall;
  /** Minutes east of UTC where the text carries an offset. */
  readonly offsetMinutes: number | undefined;
}

/** Undefined when `text` is no calendar date, with or without a time. */
export function parseStampText(text: string): ParsedStamp | undefined {
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

/** The wall in `zone` of a stamp that carries an offset; one without is already a wall. */
export function inZone(stamp: ParsedStamp, zone: string): Wall {
  if (stamp.offsetMinutes === undefined) return stamp.wall;
  const utc = stamp.wall - stamp.offsetMinutes * MS_PER_MINUTE * MICROS_PER_MS;
  const ms = Math.floor(utc / MICROS_PER_MS);
  return wallMicrosAt(ms, zone) + (utc - ms * MICROS_PER_MS);
}

function minutesOf(offset: string): number {
  if (offset.toUpperCase() === "Z") return 0;
  const digits = offset.replace(":", "");
  const minutes = Number(digits.slice(1, 3)) * 60 + Number(digits.slice(3, 5));
  return digits.startsWith("-") ? -minutes : minutes;
}
