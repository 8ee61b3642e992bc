/** How much is measured: enough for steady figures, or as little as shows that everything works. */
export interface Sizes {
  readonly rounds: number;
  /** Records of a first load without latency. */
  readonly load: number;
  /** Records of a first load into a service that takes its time. */
  readonly slowLoad: number;
  /** Records whose requests are counted, for each outcome. */
  readonly counted: number;
  /** Rows of a poll in which nothing changed, and the larger of the two loads whose memory is compared. */
  readonly large: number;
  /** The smaller one. */
  readonly small: number;
  /** Changes whose way to the service is timed. */
  readonly changes: number;
  /** Records of the stores whose figures are compared, each size ten times the one before. */
  readonly growth: readonly number[];
  /** Polls in the window of an idle daemon. */
  readonly idlePolls: number;
  /** Changes whose traces in log and store are measured, one at a time. */
  readonly dayChanges: number;
  /** Reports whose way back into the ERP's inbox is timed. */
  readonly reports: number;
}

export const FULL: Sizes = {
  rounds: 5,
  load: 10_000,
  slowLoad: 4_000,
  counted: 1_000,
  large: 100_000,
  small: 10_000,
  changes: 20,
  growth: [10_000, 100_000, 1_000_000],
  idlePolls: 1,
  dayChanges: 40,
  reports: 200,
};

export const QUICK: Sizes = {
  rounds: 3,
  load: 3_000,
  slowLoad: 1_500,
  counted: 200,
  large: 20_000,
  small: 2_000,
  changes: 5,
  growth: [1_000, 10_000, 100_000],
  idlePolls: 1,
  dayChanges: 8,
  reports: 60,
};

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The value below which this share of the values lies; between two values it is interpolated. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const below = sorted[Math.floor(at)] ?? Number.NaN;
  const above = sorted[Math.ceil(at)] ?? Number.NaN;
  return below + (above - below) * (at - Math.floor(at));
}
