import type { StreamName } from "#model";

/** How many days the history is kept: a year plus a month to compare with. */
export const historyDays = 400;

/** What is counted per stream and hour, in display order. */
const counts = {
  /** Polls that completed, and polls that failed. */
  polls: 0,
  pollFailures: 0,
  /** Rows read from the ERP, and how many of them had really changed. */
  rowsRead: 0,
  changed: 0,
  /** Deliveries by result. */
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
  /** Requests to the service. */
  requests: 0,
  /** Total time spent in polls and deliveries. Concurrent ones are added up. */
  busyMs: 0,
};

/** Counts while they are being added up. */
export type Counts = typeof counts;
export type HourCounts = Readonly<Counts>;

/** An hour in which nothing happened. */
export const noCounts: HourCounts = counts;

export interface HistoryHour extends HourCounts {
  readonly stream: StreamName;
  /** The start of the hour, in epoch milliseconds. */
  readonly hourAt: number;
}

/** What each stream did, per hour. */
export interface HistoryStore {
  /** Adds to the counts that the store has for these hours. */
  addHistory(hours: readonly HistoryHour[]): Promise<void>;
  /** Hours that began at `since` or later and before `until`, oldest first. Hours in which nothing happened are absent. */
  history(query: { since: number; until?: number; stream?: StreamName | undefined }): Promise<HistoryHour[]>;
}
