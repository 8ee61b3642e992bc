import { onAbort } from "#model";

/**
 * The end of `work`, or the abort reason as soon as `signal` is aborted; the work itself continues for its other callers. If
 * it fails after the last of them has left, the error is dropped.
 */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) {
    work.catch(() => {});
    return Promise.reject(signal.reason);
  }
  return new Promise((resolve, reject) => {
    const unfollow = onAbort(signal, () => reject(signal.reason));
    work.then(resolve, reject).finally(unfollow);
  });
}
