import type { StreamName } from "#model";

/** How long it is kept: a year and the month before it, to compare with. */
export const historyDays = 400;

/** What is counted of a stream in an hour. */
export interface HourCounts {
  /** Polls that reached their end, and those that failed. */
  readonly polls: number;
  readonly pollFailures: number;
  /** Rows read from the ERP, and those of them that had really changed. */
  readonly rowsRead: number;
  readonly changed: number;
  /** Deliveries by how they ended. */
  readonly created: number;
  readonly adopted: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly deleted: number;
  readonly skipped: number;
  readonly waiting: number;
  readonly retried: number;
  readonly parked: number;
  readonly uncertain: number;
  /** Requests to the service. */
  readonly requests: number;
  /** Time spent in polls and deliveries, added up: several at once count several times. */
  readonly busyMs: number;
}

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
