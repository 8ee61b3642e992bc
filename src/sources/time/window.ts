import { Temporal } from "temporal-polyfill";

/**
 * A wall-clock reading as a number: the milliseconds since 1970 that the same digits would be in UTC. Readings compare like their
 * texts. In the hour that a clock is put back, they do not run forward.
 */
export type WallMs = number;

/** The reading of a clock in `zone` at the instant `atMs`. */
export function wallMillisAt(atMs: number, zone: string): WallMs {
  return atMs + zoned(atMs, zone).offsetNanoseconds / 1_000_000;
}

/**
 * The earliest reading that a clock in `zone` shows at any instant from `atMs` on. It is the reading at `atMs`, except
 * shortly before the clock is put back: then it is the reading right after that.
 * A window of wall-clock stamps that begins here misses no later stamp.
 */
export function earliestWall(atMs: number, zone: string): WallMs {
  let earliest = wallMillisAt(atMs, zone);
  let at = zoned(atMs, zone).getTimeZoneTransition("next");
  while (at && at.epochMilliseconds <= atMs + longestFoldMs) {
    earliest = Math.min(earliest, wallMillisAt(at.epochMilliseconds, zone));
    at = at.getTimeZoneTransition("next");
  }
  return earliest;
}

/** The latest reading that a clock in `zone` has shown at any instant up to `atMs`: the end of a window. */
export function latestWall(atMs: number, zone: string): WallMs {
  let latest = wallMillisAt(atMs, zone);
  let at = zoned(atMs + 1, zone).getTimeZoneTransition("previous");
  while (at && at.epochMilliseconds > atMs - longestFoldMs) {
    latest = Math.max(latest, wallMillisAt(at.epochMilliseconds - 1, zone));
    at = zoned(at.epochMilliseconds, zone).getTimeZoneTransition("previous");
  }
  return latest;
}

/** `+02:00`: the offset from UTC of a clock in `zone` when it showed `wall`. If two instants fit (a fold), the earlier one's. */
export function offsetAtWall(wall: WallMs, zone: string): string {
  const reading = Temporal.Instant.fromEpochMilliseconds(Math.floor(wall)).toZonedDateTimeISO("UTC").toPlainDateTime();
  return reading.toZonedDateTime(zone).offset;
}

/** No clock is put back by more than a day. */
const longestFoldMs = 86_400_000;

function zoned(atMs: number, zone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(Math.floor(atMs)).toZonedDateTimeISO(zone);
}
