import { asError, onAbort, type StreamName } from "#model";
import type { Logger } from "#telemetry";
import type { Jobs, Work } from "./backend.ts";
import type { QueueHandlers } from "../contract.ts";

export const pollQueueName = "polls";

/** Polls that run at once in this process: more than anyone has streams. */
export const pollConcurrency = 100;

/** A scheduler that is this late has lost its next job, in milliseconds. */
const lateMs = 5_000;

const tickName = "tick";
const pollName = "poll";

/** The polls that are wanted: stream to interval. */
export type Schedule = ReadonlyMap<StreamName, { everyMs: number }>;

/**
 * Two kinds of jobs make a poll. A *tick* comes from the job scheduler of an interval and asks for a poll of each of its streams; a
 * *poll* is one job per stream at most, no matter who asked, so no two polls of a stream run at once on one backend. A tick
 * during a poll asks for nothing: the next one will.
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
 * Makes one job scheduler for each of these intervals and leaves no other; one that is right and alive is left alone. Adds to `made`
 * each interval whose scheduler was missing: its first tick comes at once.
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
    // A scheduler that is replaced in place would keep the time of its next tick.
    if (scheduler !== undefined) await jobs.removeJobScheduler(key);
    // Before the call: its answer may get lost when it is done.
    made.add(everyMs);
    await jobs.upsertJobScheduler(key, { every: everyMs }, { name: tickName, data: key });
  }
}

/** Its next tick is neither overdue nor further away than one interval, as after the clock was set back. */
function isAlive(next: number | undefined, everyMs: number, now: number): boolean {
  return next !== undefined && next > now - lateMs && next <= now + everyMs + lateMs;
}

export interface PollWorkDeps {
  readonly jobs: () => Jobs;
  readonly poll: QueueHandlers["poll"];
  /** The streams that are polled at this interval: ticks may be left of intervals without any. */
  readonly polledEvery: (everyMs: number) => readonly StreamName[];
  readonly stopping: AbortSignal;
  readonly logger: Logger;
}

/** What a worker does with a tick and with a poll. Whatever the handler throws is logged here and ends here. */
export function pollWork({ jobs, poll, polledEvery, stopping, logger }: PollWorkDeps): Work {
  const running = new Set<StreamName>();
  return async ({ name, data }, lost) => {
    if (name === tickName) return await addPolls(jobs(), polledEvery(Number(data)), { afterRunning: false });
    const stream = data;
    /** After the backend forgot everything, it may hand out a poll that this process is still running. */
    if (running.has(stream)) return;
    running.add(stream);
    using either = abortedWith(stopping, lost);
    try {
      await poll(stream, either.signal);
    } catch (error) {
      logger.error({ err: asError(error), stream }, "caught an error that a poll threw");
    } finally {
      running.delete(stream);
    }
  };
}

/** A signal that follows two others for a while. `AbortSignal.any` would stay tied to the one that lives long. */
function abortedWith(long: AbortSignal, short: AbortSignal | undefined): { signal: AbortSignal } & Disposable {
  const controller = new AbortController();
  const abort = () => controller.abort();
  if (long.aborted || short?.aborted) abort();
  const unfollow = onAbort(long, abort);
  short?.addEventListener("abort", abort);
  return { signal: controller.signal, [Symbol.dispose]: unfollow };
}
