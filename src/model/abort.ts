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
