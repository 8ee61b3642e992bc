/** How often the queue looks after what others may have done to its jobs, in milliseconds. */
export interface Looks {
  /** For jobs that a process left behind. */
  readonly stalledMs: number;
  /** Whether the backend still has the schedule of polls. */
  readonly scheduleMs: number;
}

/** On a server that several processes use. */
export const sharedLooks: Looks = { stalledMs: 2_000, scheduleMs: 5_000 };
/**
 * On a server that ends with the only process that takes its jobs. What is left to find is an answer that was lost, and a clock that was
 * set back. These looks were half of what an idle daemon asked of its server.
 */
export const privateLooks: Looks = { stalledMs: 30_000, scheduleMs: 15_000 };
