import type { RecordId, StreamName } from "#model";

export interface WakeOptions {
  /** Live changes are handled before those of a backfill, in whatever order they were queued. */
  readonly backfill: boolean;
  /** Handed out one by one, so that each goes to the next process that has a place; together they cost less. */
  readonly apart?: boolean;
}

export interface StartOptions {
  /** Deliveries that run at once, at most. */
  readonly concurrency: number;
  /** Whether polls are handed out here, too; they are unless it is false. */
  readonly polls?: boolean;
}

/** What the queue calls when a job comes up. Handlers never throw: whatever happened is in the store. */
export interface QueueHandlers {
  /** A record's turn. Called at most `concurrency` times at once; for one record perhaps more than once at a time. */
  deliver(id: RecordId, signal: AbortSignal): Promise<void>;
  /** A stream's poll is due. Never called twice at once for one stream, by any process on the same queue. */
  poll(stream: StreamName, signal: AbortSignal): Promise<void>;
}

/**
 * Wake-ups and nothing else: jobs name records by (stream, key), results and attempts live in the store.
 * Losing every job costs time, never data: the caller wakes again. A duplicate wake-up does no harm: the store's claim admits
 * one of them and shows the others that there is nothing to do.
 */
export interface Queue extends AsyncDisposable {
  /**
   * Asks for a delivery of each record. Nothing is remembered of a record: waking it twice delivers it twice.
   * @throws {RetryError} E_QUEUE_UNREACHABLE within seconds when the backend does not answer: the wake-ups may or may not
   * be in it; E_QUEUE_REFUSED when it answers with an error (its memory is full).
   * @throws {StopError} E_QUEUE_DENIED when the user may not run the command.
   */
  wake(ids: readonly RecordId[], options: WakeOptions): Promise<void>;

  /**
   * Makes these streams' polls come up at their intervals, the first at once; streams not named are no longer polled.
   * Calling it again with the same intervals moves nothing. A backend that cannot be reached, or that loses the schedule later, gets
   * it when it is back: there is no need to call again.
   */
  schedulePolls(polls: ReadonlyMap<StreamName, { everyMs: number }>): Promise<void>;

  /**
   * Asks for one poll now, beside the schedule. During a poll of the stream: for one more afterwards.
   * @throws {RetryError} E_QUEUE_UNREACHABLE when the backend does not answer.
   */
  pollNow(stream: StreamName): Promise<void>;

  /** Begins to hand out jobs. While the backend cannot be reached it resolves too, and jobs are handed out from its return on. */
  start(handlers: QueueHandlers, options: StartOptions): Promise<void>;

  /** Begins to hand out polls, where `start` did not. */
  startPolls(): Promise<void>;

  /**
   * Hands out no more polls here, keeps the schedule for the next one and aborts the signals of running polls. Resolves to whether they have
   * ended, within seconds.
   */
  stopPolls(): Promise<boolean>;

  /**
   * Whether deliveries are handed out here: other processes on the queue get them otherwise, also what is here already and has not begun.
   * What runs is left alone.
   */
  setDelivering(isOn: boolean): Promise<void>;

  /** Deliveries that run here now. */
  underWay(): number;

  /** Deliveries that run here at once from now on, at most, in place of what `start` says. What runs is left alone. */
  setConcurrency(concurrency: number): void;

  /**
   * Hands out nothing more, leaves what has not begun to other processes, and aborts the signals of running polls at once: what they have not stored is read again. Waits
   * up to `graceMs` for running deliveries, whose signals are aborted after it.
   */
  stop(graceMs: number): Promise<void>;

  /**
   * Resolves when the backend answers and has just taken a write.
   * @throws {RetryError} E_QUEUE_UNREACHABLE when it does not answer, E_QUEUE_REFUSED when it takes no writes.
   */
  ping(): Promise<void>;

  /**
   * What keeps jobs from being handed out here although `ping` resolves, in the words of the backend: a right that the user lacks, a
   * connection too many. Undefined from the next job on.
   */
  trouble(): string | undefined;

  /**
   * Calls `listener` each time the backend may have forgotten jobs (flushed, restarted, a replica was promoted): what was woken
   * and not delivered must be woken again. Noticed within seconds while polls are scheduled, at once after a restart.
   */
  onForgotten(listener: () => void): void;

  /**
   * Keeps one number beside the jobs, in place of the last one. It lives as long as the backend keeps what it holds: a flush
   * forgets it, and so does the end of a private server.
   * @throws {RetryError} E_QUEUE_UNREACHABLE, E_QUEUE_REFUSED
   */
  saveMark(mark: number): Promise<void>;
  /**
   * The number that was saved last; undefined when the backend holds none.
   * @throws {RetryError} E_QUEUE_UNREACHABLE, E_QUEUE_REFUSED
   */
  mark(): Promise<number | undefined>;

  /** Jobs that wait and run now, each of one record or many, for status and metrics. */
  depth(): Promise<{ waiting: number; active: number }>;
}

/**
 * How a queue is opened: chosen by QUEUE_URL. `prefix` keeps installations apart that share a server; `?prefix=name` of the
 * url goes before it. A url of kind "redis" is `redis://`, `rediss://` (TLS), `unix:///path` (a socket), or
 * `redis+sentinel://host:26379,host:26379/mymaster/0` (`rediss+sentinel://`).
 */
export type QueueLocation =
  | { readonly kind: "redis" | "postgres"; readonly url: string; readonly prefix?: string }
  | { readonly kind: "private"; readonly dataDir: string };
