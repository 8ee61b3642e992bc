import { Argument, InvalidArgumentError } from "commander";
import { duration, parseRecord, type RecordId } from "#model";

/** The argument `<record>` of a command that acts on one record. */
export function recordArgument(): Argument {
  return new Argument("<record>", "the record as stream/key, for example customers/10023").argParser(recordNamed);
}

/** Parses the name of a record. */
export function recordNamed(text: string): RecordId {
  const id = parseRecord(text);
  if (!id) throw new InvalidArgumentError(`found ${JSON.stringify(text)}, expected stream/key`);
  return id;
}

export function positiveInteger(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) throw new InvalidArgumentError("expected a whole number above 0");
  return number;
}

/** Parses a port; 0 means any free one. */
export function port(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 0 || number > 65_535) throw new InvalidArgumentError("expected a port");
  return number;
}

/** Parses `name1,email` as column names. */
export function columnsArgument(text: string): ReadonlySet<string> {
  return new Set(text.split(",").map((name) => name.trim()));
}

/** Parses `10m`, `2h` or `1d` to milliseconds. */
export function durationArgument(text: string): number {
  const { data: ms = 0 } = duration.safeParse(/^\d{1,5}[smhd]$/.exec(text.trim())?.[0]);
  if (ms === 0) throw new InvalidArgumentError("expected a duration such as 10m, 2h or 1d");
  return ms;
}

/** Parses `18:00` (the next time this machine's clock shows it) or `2026-11-22 18:00` (local, or with an offset). */
export function momentArgument(text: string): number {
  const [, hours, minutes] = /^(\d{1,2}):(\d{2})$/.exec(text.trim()) ?? [];
  if (hours !== undefined) {
    const [hour, minute] = [Number(hours), Number(minutes)];
    if (hour < 24 && minute < 60) return next(hour, minute);
  } else if (/^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2})?(\.\d+)?(Z|[+-]\d{2}:\d{2})?$/.test(text.trim())) {
    const at = Date.parse(text.trim().replace(" ", "T"));
    if (!Number.isNaN(at)) return at;
  }
  throw new InvalidArgumentError("expected a time such as 18:00 or 2026-11-22 18:00");
}

/** Parses what `begin` in the sync file takes: a day (from 00:00 UTC); or a moment, as above. */
export function dayOrMomentArgument(text: string): number {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text.trim()) ? Date.parse(text.trim()) : Number.NaN;
  return Number.isNaN(at) ? momentArgument(text) : at;
}

function next(hour: number, minute: number): number {
  const at = new Date();
  at.setHours(hour, minute, 0, 0);
  if (at.getTime() <= Date.now()) at.setDate(at.getDate() + 1);
  return at.getTime();
}
