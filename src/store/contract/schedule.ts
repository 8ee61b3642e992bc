import type { ErrorCode, StreamName } from "#model";
import type { DueRecord } from "../facts.ts";

/** Records that do not count: those that met one of these errors, and those that are due later than `after`. */
export interface LeftOut {
  readonly errors: readonly ErrorCode[];
  readonly after: number;
}

/** What is to be delivered, and when. */
export interface ScheduleStore {
  /**
   * Up to `limit` records whose time has come: due or retry time reached, or a claim whose lease ran out.
   * Live changes first, then by due time. `streams` restricts (a stream on hold is left out).
   */
  due(query: { limit: number; streams: readonly StreamName[] }): Promise<DueRecord[]>;

  /** The earliest moment at which something becomes due, or undefined. */
  nextDueAt(streams: readonly StreamName[], leftOut?: LeftOut): Promise<number | undefined>;

  /**
   * When the oldest change was staged that is on its way to the service and not there yet, as far as the first ten thousand due
   * records tell. First loads, records mapped again, and those that wait for others or for a person do not count.
   */
  undeliveredSince(stream: StreamName): Promise<number | undefined>;

  /**
   * The clock was set back by `byMs`: every due time and lease goes back with it, so that nothing waits for it to catch up. One that
   * fails is ended by the next one; until then {@link latestMoment} is as before.
   */
  clockSetBack(byMs: number): Promise<void>;

  /**
   * How far the clock had got, to half a second, when this or an earlier process last wrote anything; since the last
   * {@link clockSetBack}. 0 for a store in which nothing was written.
   */
  latestMoment(): Promise<number>;
}

/** Tells loops that look at intervals whether anything was written. */
export interface RevisionStore {
  /** A number that changes with each commit of any process; undefined where reading it costs as much as looking. */
  revision(): Promise<number | undefined>;
}
