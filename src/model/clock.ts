import { onAbort } from "./abort.ts";

/** The only source of the time: instants are epoch milliseconds. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** Node fires a timer that is longer, 24.8 days, at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Waits `ms` milliseconds, or less when `signal` is aborted: it then resolves early, so that loops end at their
 * `while (!signal.aborted)`.
 */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      unfollow?.();
      resolve();
    };
    let timer: NodeJS.Timeout;
    const wait = (leftMs: number) => {
      const nextMs = Math.min(leftMs, LONGEST_TIMER_MS);
      timer = setTimeout(() => (leftMs > nextMs ? wait(leftMs - nextMs) : done()), nextMs);
    };
    wait(ms);
    const unfollow = signal && onAbort(signal, done);
  });
}
