import { Temporal } from "temporal-polyfill";

/** A time with an offset in any form: `Z`, `+02`, `+02:00`, `+02:00[Europe/Berlin]`. */
const hasOffset = /[T ][\d:.,]+ *(?:Z|[+-])/i;
/** An empty date as Dynamics and .NET write it: the first day that SQL Server's type, or their own, can hold. */
const blankDate = /^(?:0001|1753)-01-01(?:\D|$)/;

/**
 * `$utc(text, zone)` converts a date, or a date and time, of the ERP's clock to an instant as the service expects it:
 * UTC with milliseconds, `2026-05-04T22:00:00.000Z`. A date alone means its midnight. A text with its own offset keeps
 * its instant. In the hour that a clock change repeats, the first one is meant; in the hour that it skips, the time
 * after the gap. Undefined stays undefined, and empty text and {@link blankDate} become undefined.
 * @throws {RangeError} when the text is not an ISO date or the zone is unknown; the message names neither.
 */
export function utc(text: unknown, zone: unknown): string | undefined {
  if (text === undefined || text === null) return undefined;
  if (typeof text !== "string")
    throw new RangeError("$utc needs a date as text, e.g. 2026-05-04 or 2026-05-04 13:30:00");
  const trimmed = text.trim();
  if (trimmed === "" || blankDate.test(trimmed)) return undefined;
  try {
    const instant = hasOffset.test(trimmed)
      ? Temporal.Instant.from(trimmed)
      : Temporal.PlainDateTime.from(trimmed).toZonedDateTime(String(zone)).toInstant();
    return new Date(instant.epochMilliseconds).toISOString();
  } catch {
    throw new RangeError("$utc needs an ISO date and a time zone, e.g. $utc(due_date, 'Europe/Berlin')");
  }
}

/**
 * `$local(text, zone)` is the inverse of {@link utc}: an instant of the service as the date and time on the ERP's clock, without an offset and
 * without fractions of a second: `2026-05-05T00:00:00`. Undefined and empty text become undefined.
 * @throws {RangeError} when the text is not an instant with an offset, or the zone is unknown; the message names neither.
 */
export function local(text: unknown, zone: unknown): string | undefined {
  if (text === undefined || text === null || text === "") return undefined;
  try {
    if (typeof text !== "string") throw new RangeError("no text");
    const instant = Temporal.Instant.from(text);
    return instant.toZonedDateTimeISO(String(zone)).toPlainDateTime().toString({ smallestUnit: "second" });
  } catch {
    throw new RangeError("$local needs an instant and a time zone, e.g. $local(finishedDate, 'Europe/Berlin')");
  }
}

/** Longer texts cannot be fields of a record. JSONata's own function would allocate any length, which can crash the process. */
const widest = 10_000;

/** `$pad(text, width, char)` as JSONata defines it, up to the length that a record can hold. @throws {RangeError} beyond it. */
export function pad(text: unknown, width: unknown, char: unknown): string | undefined {
  if (text === undefined || text === null) return undefined;
  if (typeof text !== "string" || typeof width !== "number") throw new RangeError("$pad needs a text and a width");
  if (Math.abs(width) > widest) throw new RangeError(`$pad makes texts of up to ${widest} characters`);
  const filling = typeof char === "string" && char !== "" ? Array.from(char) : [" "];
  const count = Math.max(0, Math.trunc(Math.abs(width)) - Array.from(text).length);
  const padding = Array.from({ length: count }, (_, at) => filling[at % filling.length]).join("");
  return width > 0 ? text + padding : padding + text;
}
