import { earliestWall, latestWall, wallMillisAt as wallMsAt } from "../../time/window.ts";

/**
 * What a clock on the wall shows, as microseconds since its 1970-01-01T00:00: a stamp without a zone, ready to compare.
 * Fits a JavaScript number exactly until the year 2255. In the zone UTC it is the instant itself.
 */
export type Wall = number;

/** Walls between which rows lie: `from` included, `below` not; an absent bound is open. */
export interface WallRange {
  readonly from?: Wall;
  readonly below?: Wall;
}

const MICROS_PER_MS = 1000;

/** What a wall clock in `zone` shows at an instant. */
export function wallMicrosAt(epochMs: number, zone: string): Wall {
  return wallMsAt(epochMs, zone) * MICROS_PER_MS;
}

/**
 * The earliest wall, in whole units, that a row written at `epochMs` or later can bear. Shortly before clocks are put back
 * that is the beginning of the hour which is shown twice.
 */
export function wallFrom(epochMs: number, zone: string, unit: number): Wall {
  return Math.floor((earliestWall(epochMs, zone) * MICROS_PER_MS) / unit) * unit;
}

/** The latest wall that a row written at `epochMs` or before can bear. */
export function wallUntil(epochMs: number, zone: string): Wall {
  return latestWall(epochMs, zone) * MICROS_PER_MS;
}

/** `2026-01-31T10:00:00.000000`: a wall as text with six digits of a second. */
export function wallText(wall: Wall): string {
  const ms = Math.floor(wall / MICROS_PER_MS);
  const micros = String(wall - ms * MICROS_PER_MS).padStart(3, "0");
  return new Date(ms).toISOString().replace("Z", micros);
}
