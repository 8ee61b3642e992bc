import type { StreamName } from "#model";

/** How long it is kept: a year and the month before it, to compare with. */
export const historyDays = 400;

/** What is counted of a stream in an hour, in the order in which it is shown. */
const counts = {
  /** Polls that reached their end, and those that failed. */
  polls: 0,
  pollFailures: 0,
  /** Rows read from the ERP, and those of them that had really changed. */
  rowsRead: 0,
  changed: 0,
  /** Deliveries by how they ended. */
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
  /** Time spent in polls and deliveries, added up: several at once count several times. */
  busyMs: 0,
};

/** Counts that are being added up. */
export type Counts = typeof counts;
export type HourCounts = Readonly<Counts>;

/** An hour in which nothing happened. */
export const noCounts: HourCounts = counts;

export interface HistoryHour extends HourCounts {
  readonly stream: StreamName;
  /** The beginning of the hour, in epoch milliseconds. */
  readonly hourAt: number;
}

/** What each stream did, hour by hour. */
export interface HistoryStore {
  /** Adds to what the store has of these hours. */
  addHistory(hours: readonly HistoryHour[]): Promise<void>;
  /** Hours that began at `since` or later and before `until`, oldest first; hours without anything are absent. */
  history(query: { since: number; until?: number; stream?: StreamName | undefined }): Promise<HistoryHour[]>;
  /** Forgets hours before `before`; returns how many. */
  pruneHistory(before: number): Promise<number>;
}
