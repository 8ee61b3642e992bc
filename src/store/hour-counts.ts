import { noCounts, type Counts, type HourCounts } from "./contract/people/history.ts";

/** The names of all counts. */
export const countNames = Object.keys(noCounts).filter(isCountName);

/** Adds each count to `sum`. */
export function addCounts(sum: Counts, counts: HourCounts): void {
  for (const name of countNames) sum[name] += counts[name];
}

function isCountName(name: string): name is keyof HourCounts {
  return name in noCounts;
}
