import type { StreamName } from "#model";

/** Calls `tick` for each stream at its interval, the first time at once, by a monotonic clock. */
export class PollTimers {
  readonly #tick: (stream: StreamName) => void;
  readonly #timers = new Map<StreamName, { readonly everyMs: number; timer?: NodeJS.Timeout }>();

  constructor(tick: (stream: StreamName) => void) {
    this.#tick = tick;
  }

  /** Replaces the intervals. A stream that keeps its interval keeps the time of its next tick. */
  set(intervals: ReadonlyMap<StreamName, { everyMs: number }>): void {
    for (const [stream, { everyMs }] of this.#timers)
      if (intervals.get(stream)?.everyMs !== everyMs) this.#remove(stream);
    for (const [stream, { everyMs }] of intervals) if (!this.#timers.has(stream)) this.#add(stream, everyMs);
  }

  #add(stream: StreamName, everyMs: number): void {
    const own: { readonly everyMs: number; timer?: NodeJS.Timeout } = { everyMs };
    this.#timers.set(stream, own);
    let dueAt = performance.now();
    const ring = () => {
      const now = performance.now();
      // A timer of Node may fire up to a millisecond early, and after a pause of the process many intervals late.
      if (now >= dueAt) {
        this.#tick(stream);
        dueAt = Math.max(dueAt, now - everyMs) + everyMs;
      }
      own.timer = setTimeout(ring, Math.ceil(dueAt - now));
    };
    ring();
  }

  #remove(stream: StreamName): void {
    clearTimeout(this.#timers.get(stream)?.timer);
    this.#timers.delete(stream);
  }
}
