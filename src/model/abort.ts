import { ListenerSet } from "./listener-set.ts";

const hearers = new WeakMap<AbortSignal, ListenerSet<() => void>>();

/**
 * Calls `hear` once when the signal is aborted, unless the returned function was called before. A signal that lives as long
 * as the process gets one listener for all who follow it: Node warns of a leak from the eleventh on, and its chain of
 * listeners keeps removed ones alive, see {@link ListenerSet}.
 */
export function onAbort(signal: AbortSignal, hear: () => void): () => void {
  const known = hearers.get(signal);
  if (known !== undefined) return known.add(hear);
  const all = new ListenerSet<() => void>();
  hearers.set(signal, all);
  signal.addEventListener("abort", () => all.forEach(tell), { once: true });
  return all.add(hear);
}

/** One that throws keeps no other from hearing, as with listeners. */
function tell(hear: () => void): void {
  try {
    hear();
  } catch (thrown) {
    queueMicrotask(() => {
      throw thrown;
    });
  }
}

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
