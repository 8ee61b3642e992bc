import type { ErrorCode, StreamName } from "#model";
import type { DueRecord } from "../facts.ts";

/** Records to ignore: those that failed with one of these errors, and those that are due later than `after`. */
export interface LeftOut {
  readonly errors: readonly ErrorCode[];
  readonly after: number;
}

/** What is to be delivered, and when. */
export interface ScheduleStore {
  /**
   * Up to `limit` records that are due: their due or retry time has come, or the lease of their claim has expired. Live changes first, then
   * by due time. `streams` restricts the result, so that streams on hold are left out.
   */
  due(query: { limit: number; streams: readonly StreamName[] }): Promise<DueRecord[]>;

  /** The earliest moment at which something becomes due, or undefined. */
  nextDueAt(streams: readonly StreamName[], leftOut?: LeftOut): Promise<number | undefined>;

  /**
   * When the oldest change was staged that is still on its way to the service, judged by the first ten thousand due records. First loads,
   * remapped records, and records that wait for others or for a person do not count.
   */
  undeliveredSince(stream: StreamName): Promise<number | undefined>;

  /**
   * Moves every due time and lease back by `byMs` after the clock was set back, so that nothing waits for the clock to catch up. The next
   * call completes one that failed; until then {@link latestMoment} is unchanged.
   */
  clockSetBack(byMs: number): Promise<void>;

  /**
   * The clock's time, to half a second, when this or an earlier process last wrote anything since the last {@link clockSetBack}. 0 if
   * nothing was ever written.
   */
  latestMoment(): Promise<number>;
}

/** Tells loops that poll the store whether anything was written. */
export interface RevisionStore {
  /** A number that changes with each commit of any process. Undefined if reading it costs as much as the poll itself. */
  revision(): Promise<number | undefined>;
}
