import { ListenerSet } from "./listener-set.ts";

const hearers = new WeakMap<AbortSignal, ListenerSet<() => void>>();

/**
 * Calls `hear` once when the signal is aborted, unless the returned function was called before. A long-lived signal gets a single listener
 * for all callers. Otherwise Node would warn of a leak from the eleventh on and would keep removed listeners alive, see {@link
 * ListenerSet}.
 */
export function onAbort(signal: AbortSignal, hear: () => void): () => void {
  const known = hearers.get(signal);
  if (known !== undefined) return known.add(hear);
  const all = new ListenerSet<() => void>();
  hearers.set(signal, all);
  signal.addEventListener("abort", () => all.forEach(tell), { once: true });
  return all.add(hear);
}

/** Like an event listener, one that throws does not keep the others from being called. */
function tell(hear: () => void): void {
  try {
    hear();
  } catch (thrown) {
    queueMicrotask(() => {
      throw thrown;
    });
  }
}

/** Resolves when the signal is aborted. */
export function whenAborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else onAbort(signal, () => resolve(undefined));
  });
}

/**
 * Settles like `work`, or rejects with the abort reason as soon as `signal` is aborted. The work continues for its other callers. If it
 * fails after all of them have left, the error is dropped.
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
