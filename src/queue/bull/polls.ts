import { onAbort, type StreamName } from "#model";
import type { Jobs, Work } from "./backend.ts";
import type { QueueHandlers } from "../contract.ts";

export const pollQueueName = "polls";

/** Most polls to run at once in this process: more than any installation has streams. */
export const pollConcurrency = 100;

/** How late a scheduler may be before its next job counts as lost, in milliseconds. */
const lateMs = 5_000;

const tickName = "tick";
const pollName = "poll";

/** The wanted polls: interval by stream. */
export type PollSchedule = ReadonlyMap<StreamName, { everyMs: number }>;

/**
 * Adds polls. A poll takes two kinds of jobs. A *tick* comes from the job scheduler of an interval and requests a poll of each of its
 * streams. A *poll* is at most one job per stream, no matter who requested it, so two polls of a stream never run at once on one backend. A
 * tick during a poll is dropped, because the next tick will follow.
 */
export async function addPolls(
  jobs: Jobs,
  streams: readonly StreamName[],
  { afterRunning }: { afterRunning: boolean },
): Promise<void> {
  const more = afterRunning ? { keepLastIfActive: true } : {};
  const polls = streams.map((stream) => ({
    name: pollName,
    data: stream,
    opts: { deduplication: { id: stream, ...more } },
  }));
  if (polls.length > 0) await jobs.addBulk(polls);
}

/**
 * Creates one job scheduler per interval and removes all others; a healthy one is left alone. Adds to `made` each interval whose scheduler
 * was missing: its first tick comes at once.
 */
export async function applyIntervals(
  jobs: Jobs,
  intervals: ReadonlySet<number>,
  { now, made }: { now: number; made: Set<number> },
): Promise<void> {
  const found = new Map((await jobs.getJobSchedulers(0, -1)).map((scheduler) => [scheduler.key, scheduler]));
  for (const key of found.keys()) if (!intervals.has(Number(key))) await jobs.removeJobScheduler(key);
  for (const everyMs of intervals) {
    const key = String(everyMs);
    const scheduler = found.get(key);
    if (scheduler !== undefined && Number(scheduler.every) === everyMs && isAlive(scheduler.next, everyMs, now))
      continue;
    // Replacing a scheduler in place would keep the time of its next tick.
    if (scheduler !== undefined) await jobs.removeJobScheduler(key);
    // Before the call, because its answer may get lost after it succeeded.
    made.add(everyMs);
    await jobs.upsertJobScheduler(key, { every: everyMs }, { name: tickName, data: key });
  }
}

/** Whether the next tick is neither overdue nor more than one interval away (as after the clock was set back). */
function isAlive(next: number | undefined, everyMs: number, now: number): boolean {
  return next !== undefined && next > now - lateMs && next <= now + everyMs + lateMs;
}

export interface PollWorkDeps {
  readonly jobs: () => Jobs;
  readonly poll: QueueHandlers["poll"];
  /** The streams that are polled at this interval; none if only old ticks are left. */
  readonly polledEvery: (everyMs: number) => readonly StreamName[];
  readonly stopping: AbortSignal;
}

/** The work for ticks and polls. */
export function pollWork({ jobs, poll, polledEvery, stopping }: PollWorkDeps): Work {
  const running = new Set<StreamName>();
  return async ({ name, data }, lost) => {
    if (name === tickName) return await addPolls(jobs(), polledEvery(Number(data)), { afterRunning: false });
    const stream = data;
    /** A backend that has lost its data may hand out a poll that is still running in this process. */
    if (running.has(stream)) return;
    running.add(stream);
    using either = abortedWith(stopping, lost);
    try {
      await poll(stream, either.signal);
    } finally {
      running.delete(stream);
    }
  };
}

/** Combines two signals for the duration of a poll. `AbortSignal.any` would stay attached to the long-lived one. */
function abortedWith(long: AbortSignal, short: AbortSignal | undefined): { signal: AbortSignal } & Disposable {
  const controller = new AbortController();
  const abort = () => controller.abort();
  if (long.aborted || short?.aborted) abort();
  const unfollow = onAbort(long, abort);
  short?.addEventListener("abort", abort);
  return { signal: controller.signal, [Symbol.dispose]: unfollow };
}
