import type { HourCounts } from "./contract/people/history.ts";

/** Counts that are being added up. */
export type Counts = { -readonly [Name in keyof HourCounts]: number };

/** An hour in which nothing happened: the names of all counts, in the order in which they are shown. */
export const noCounts: HourCounts = {
  polls: 0,
  pollFailures: 0,
  rowsRead: 0,
  changed: 0,
  created: 0,
  adopted: 0,
  updated: 0,
  unchanged: 0,
  deleted: 0,
  skipped: 0,
  waiting: 0,
  retried: 0,
  parked: 0,
  uncertain: 0,
  requests: 0,
  busyMs: 0,
};

/** The names of all counts. */
export const countNames = Object.keys(noCounts).filter(isCountName);

/** Adds each count to the sum. */
export function addCounts(sum: Counts, counts: HourCounts): void {
  for (const name of countNames) sum[name] += counts[name];
}

function isCountName(name: string): name is keyof HourCounts {
  return name in noCounts;
}
