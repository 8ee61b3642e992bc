/** How often the queue checks a server for lost jobs, in milliseconds. */
export interface Looks {
  /**
   * How long a job stays locked by a process that may have died. A running job renews its lock. BullMQ checks four times per interval
   * whether a renewal is needed, even if no job runs.
   */
  readonly lockMs: number;
  /** Checks for jobs that a dead process left behind. */
  readonly stalledMs: number;
  /** Checks whether the backend still has the poll schedule. */
  readonly scheduleMs: number;
  /** Checks of an idle worker for a job whose wake-up was lost. */
  readonly idleMs: number;
}

/**
 * For a server that several processes share. `lockMs` and `stalledMs` together are no longer than a dead daemon's lease on the store, so a
 * stream is polled again as soon as another daemon takes over.
 */
export const sharedLooks: Looks = { lockMs: 6_000, stalledMs: 2_000, scheduleMs: 5_000, idleMs: 5_000 };
/**
 * For a server that ends with the only process that takes its jobs. The only causes left are a lost answer and a clock that was set back.
 * At the intervals of a shared server, these checks were half of the requests of an idle daemon.
 */
export const privateLooks: Looks = { lockMs: 30_000, stalledMs: 30_000, scheduleMs: 15_000, idleMs: 15_000 };
