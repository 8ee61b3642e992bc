import { onAbort } from "./abort.ts";

/** The only source of the time: instants are epoch milliseconds. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/**
 * Waits `ms` milliseconds, or less when `signal` is aborted: it then resolves early, so that loops fall out of their
 * `while (!signal.aborted)` by themselves.
 */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      unfollow?.();
      resolve();
    };
    const timer = setTimeout(done, ms);
    const unfollow = signal && onAbort(signal, done);
  });
}
