import { earliestWall, latestWall, wallMillisAt as wallMsAt } from "../../time/window.ts";

/**
 * The reading of a wall clock, as microseconds since its 1970-01-01T00:00: a stamp without a zone, in a form that can be compared.
 * Exact in a JavaScript number until the year 2255. In the zone UTC it is the instant itself.
 */
export type Wall = number;

/** A range of walls: `from` is included, `below` is not. An absent bound is open. */
export interface WallRange {
  readonly from?: Wall;
  readonly below?: Wall;
}

const MICROS_PER_MS = 1000;

/** Returns the reading of a wall clock in `zone` at an instant. */
export function wallMicrosAt(epochMs: number, zone: string): Wall {
  return wallMsAt(epochMs, zone) * MICROS_PER_MS;
}

/**
 * Returns the earliest wall, in whole units, that a row written at `epochMs` or later can have. Shortly before clocks are put back,
 * that is the beginning of the hour that is shown twice.
 */
export function wallFrom(epochMs: number, zone: string, unit: number): Wall {
  return Math.floor((earliestWall(epochMs, zone) * MICROS_PER_MS) / unit) * unit;
}

/** Returns the latest wall that a row written at `epochMs` or before can have. */
export function wallUntil(epochMs: number, zone: string): Wall {
  return latestWall(epochMs, zone) * MICROS_PER_MS;
}

/** `2026-01-31T10:00:00.000000`: a wall as text with six digits of a second. */
export function wallText(wall: Wall): string {
  const ms = Math.floor(wall / MICROS_PER_MS);
  const micros = String(wall - ms * MICROS_PER_MS).padStart(3, "0");
  return new Date(ms).toISOString().replace("Z", micros);
}
