import { DAY_MS, MINUTE_MS, ParkError } from "#model";

/** Zones differ by at most 26 hours, in steps of a quarter of an hour. */
const SHIFTS_MS = [MINUTE_MS, ...Array.from({ length: 4 * 26 }, (_, step) => 15 * MINUTE_MS * (step + 1)), 2 * DAY_MS];

/** What to do about each cause, in the words of one kind of source. Each is one or more sentences without the last full stop. */
export interface MissRemedies {
  /** For a filter that leaves out its own bound. */
  readonly exclusive: string;
  /** For one that knows whole minutes only. */
  readonly minutes: string;
  /** For one that reads its bound in another time zone, or compares days. */
  readonly shifted: string;
  /** For one whose cause is unknown, after "so" and without a capital. */
  readonly unknown: string;
}

/**
 * Finds out how much earlier a filter must be asked to show a row that it left out, and returns the cause and what to do. `unitMs` is the
 * precision of its bounds; `reaches` says whether the row comes if asked from so many milliseconds earlier. Absent if nothing may be asked.
 */
export async function causeOfMiss(
  unitMs: number,
  remedies: MissRemedies,
  reaches?: (shiftMs: number) => Promise<boolean>,
): Promise<string> {
  if (reaches === undefined) return remedies.unknown;
  if (await reaches(unitMs))
    return `it comes if asked from one unit earlier, so the filter leaves out rows exactly at its bound. ${remedies.exclusive}`;
  const shifts = SHIFTS_MS.filter((shift) => shift > unitMs);
  let [low, high] = [0, shifts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (await reaches(shifts[middle]!)) high = middle;
    else low = middle + 1;
  }
  const shift = shifts[low];
  if (shift === undefined) return remedies.unknown;
  if (shift === MINUTE_MS)
    return `it comes if asked from a minute earlier, so the filter knows only whole minutes. ${remedies.minutes}`;
  return (
    `it comes if asked from ${hours(shift)} earlier, so the filter reads its bound in another time zone than the stamps have, or compares only ` +
    `days. ${remedies.shifted}`
  );
}

/** The error of a filter that leaves out a row which is there: E_SOURCE_FILTER_MISSES. */
export function filterMisses(
  row: { readonly table: string; readonly key: string; readonly field: string; readonly stamp: string },
  why: string,
): ParkError {
  const { table, key, field, stamp } = row;
  return new ParkError(
    "E_SOURCE_FILTER_MISSES",
    `${table}: the row ${key} has the ${field} ${stamp}, but is missing among the rows from that stamp on: ${why}`,
    { details: { key, stampField: field } },
  );
}

function hours(shiftMs: number): string {
  const minutes = shiftMs / MINUTE_MS;
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
