import type { RecordId, StreamName } from "#model";

export interface WakeOptions {
  /** Whether the records belong to a backfill: live changes are handled first, no matter which were queued first. */
  readonly backfill: boolean;
  /** One job per record, so that each goes to the next free process. Sharing jobs costs less. */
  readonly apart?: boolean;
}

export interface StartOptions {
  /** Most deliveries to run at once. */
  readonly concurrency: number;
  /** Whether polls are handed out here too. Default: true. */
  readonly polls?: boolean;
}

/** What a number beside the jobs counts; creates, unless it says otherwise. */
export type MarkName = "creates" | "writes";

/** Called by the queue for its jobs. Handlers never throw: the store has the result. */
export interface QueueHandlers {
  /** Delivers a record. At most `concurrency` calls at once, possibly several for one record. */
  deliver(id: RecordId, signal: AbortSignal): Promise<void>;
  /** Polls a stream. Never two calls at once for one stream, across all processes on the same queue. */
  poll(stream: StreamName, signal: AbortSignal): Promise<void>;
}

/** What a queue runs on: a server of Redis or PostgreSQL, svcsync's own Redis server, or this process alone. */
export type QueueKind = "redis" | "postgres" | "private" | "in-process";

/**
 * Wake-ups and nothing else: jobs name records by (stream, key); results and attempts are in the store. Losing every job costs time, never
 * data, because the caller wakes again. A duplicate wake-up does no harm: only one of them can claim the record in the store.
 */
export interface Queue extends AsyncDisposable {
  readonly kind: QueueKind;

  /**
   * Requests a delivery of each record. The queue does not deduplicate: waking a record twice delivers it twice.
   * @throws {RetryError} E_QUEUE_UNREACHABLE within seconds when the backend does not answer: the wake-ups may or may not be in it;
   * E_QUEUE_REFUSED when it answers with an error (its memory is full).
   * @throws {StopError} E_QUEUE_DENIED when the user may not run the command.
   */
  wake(ids: readonly RecordId[], options: WakeOptions): Promise<void>;

  /**
   * Polls these streams at their intervals, the first time at once; other streams are no longer polled. Calling it again with the same
   * intervals changes nothing. A backend that is unreachable, or loses the schedule later, gets it when it is back, without another call.
   */
  schedulePolls(polls: ReadonlyMap<StreamName, { everyMs: number }>): Promise<void>;

  /**
   * Requests one poll now, outside the schedule. If a poll of the stream is running, another one follows it.
   * @throws {RetryError} E_QUEUE_UNREACHABLE when the backend does not answer.
   */
  pollNow(stream: StreamName): Promise<void>;

  /** Starts to hand out jobs. It also resolves while the backend is unreachable; jobs are then handed out once it is back. */
  start(handlers: QueueHandlers, options: StartOptions): Promise<void>;

  /** Starts to hand out polls, if `start` did not. */
  startPolls(): Promise<void>;

  /**
   * Hands out no more polls here, leaves the schedule to the next process and aborts running polls. Resolves within seconds to whether they
   * have ended.
   */
  stopPolls(): Promise<boolean>;

  /**
   * Sets whether deliveries are handed out here. If not, other processes get them, including those that this process holds but has not
   * started. Running deliveries continue.
   */
  setDelivering(isOn: boolean): Promise<void>;

  /** The number of deliveries running here. */
  underWay(): number;

  /** Sets how many deliveries run here at once, overriding `start`. Running ones continue. */
  setConcurrency(concurrency: number): void;

  /**
   * Hands out nothing more, leaves unstarted records to other processes, and aborts running polls at once: rows that they have not stored
   * are read again. Waits up to `graceMs` for running deliveries, then aborts their signals.
   */
  stop(graceMs: number): Promise<void>;

  /**
   * Resolves when the backend answers and has just taken a write.
   * @throws {RetryError} E_QUEUE_UNREACHABLE when it does not answer, E_QUEUE_REFUSED when it takes no writes.
   */
  ping(): Promise<void>;

  /**
   * Why no jobs are handed out here although `ping` resolves, in the backend's own words: a missing right, or a connection too many.
   * Undefined again from the next job on.
   */
  trouble(): string | undefined;

  /**
   * Calls `listener` each time the backend may have lost jobs (flushed, restarted, a standby was promoted): undelivered records must then
   * be woken again. Noticed within seconds while polls are scheduled, at once after a restart.
   */
  onForgotten(listener: () => void): void;

  /**
   * Stores a number beside the jobs, replacing the last one. A flush of the backend loses it, and so does the end of a private server
   * or of the process that the queue is in.
   * @throws {RetryError} E_QUEUE_UNREACHABLE, E_QUEUE_REFUSED
   */
  saveMark(mark: number, of?: MarkName): Promise<void>;
  /**
   * The number stored last; undefined if the backend has none.
   * @throws {RetryError} E_QUEUE_UNREACHABLE, E_QUEUE_REFUSED
   */
  mark(of?: MarkName): Promise<number | undefined>;

  /** The number of waiting and of running jobs, for status and metrics. A job may hold many records. */
  depth(): Promise<{ waiting: number; active: number }>;
}
