import { Temporal } from "temporal-polyfill";

const endsWithOffset = /(?:Z|[+-]\d{2}(?::?\d{2})?)$/i;
const dateOnly = /^\d{4}-\d{2}-\d{2}$/;

/**
 * `$utc(text, zone)`: a date or date and time as the ERP's clock shows it, as the instant the service wants:
 * UTC with milliseconds, `2026-05-04T22:00:00.000Z`. A date alone is its midnight. Text that carries its own offset keeps
 * its instant. In the hour that a clock change repeats, the first one is meant; in the hour that it skips, the time after
 * the gap. Nothing stays nothing, and empty text is nothing.
 * @throws {RangeError} when the text is no ISO date or the zone is unknown; the message names neither.
 */
export function utc(text: unknown, zone: unknown): string | undefined {
  if (text === undefined || text === null || text === "") return undefined;
  if (typeof text !== "string")
    throw new RangeError("$utc wants a date as text, e.g. 2026-05-04 or 2026-05-04 13:30:00");
  const trimmed = text.trim();
  try {
    const instant =
      !dateOnly.test(trimmed) && endsWithOffset.test(trimmed)
        ? Temporal.Instant.from(trimmed)
        : Temporal.PlainDateTime.from(trimmed).toZonedDateTime(String(zone)).toInstant();
    return new Date(instant.epochMilliseconds).toISOString();
  } catch {
    throw new RangeError("$utc wants an ISO date and a time zone, e.g. $utc(due_date, 'Europe/Berlin')");
  }
}
