import { onAbort } from "#model";

/** The end of `work`, or the abort reason as soon as `signal` is aborted; the work itself goes on for its other callers. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const unfollow = onAbort(signal, () => reject(signal.reason));
    work.then(resolve, reject).finally(unfollow);
  });
}
