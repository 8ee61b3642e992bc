/** For how long the jobs of a server are left alone before the queue looks at what may have become of them, in milliseconds. */
export interface Looks {
  /**
   * How long a job is held for a process that may have died before another may run it. A job that runs is held by renewal as long as it
   * takes; BullMQ looks four times in this time whether a job is to be renewed, also where none runs.
   */
  readonly lockMs: number;
  /** For jobs that a process left behind. */
  readonly stalledMs: number;
  /** Whether the backend still has the schedule of polls. */
  readonly scheduleMs: number;
  /** For a job whose call to an idle worker was lost. */
  readonly idleMs: number;
}

/**
 * On a server that several processes use. The first two are together no longer than the lease of a dead daemon's store, so that a stream is
 * polled again as soon as another one takes over.
 */
export const sharedLooks: Looks = { lockMs: 6_000, stalledMs: 2_000, scheduleMs: 5_000, idleMs: 5_000 };
/**
 * On a server that ends with the only process that takes its jobs. What is left to find is an answer that was lost, and a clock that was
 * set back. These looks were half of what an idle daemon asked of its server.
 */
export const privateLooks: Looks = { lockMs: 30_000, stalledMs: 30_000, scheduleMs: 15_000, idleMs: 15_000 };
