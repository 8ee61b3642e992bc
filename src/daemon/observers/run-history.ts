import { AsyncLocalStorage } from "node:async_hooks";
import { HOUR_MS, errorFacts, repeatedly, type Clock, type RecordId, type StreamName } from "#model";
import type { Delivery, Observer, PollFacts } from "#pipeline";
import type { QueueHandlers } from "#queue";
import { addCounts, noCounts, type Counts, type HistoryHour, type HistoryStore } from "#store";
import type { Logger } from "#telemetry";

const FLUSH_MS = 60_000;

/**
 * Counts each stream's work in memory and adds it to the store once a minute, so no delivery waits. Counts that could not be stored are
 * kept for the next time.
 */
export class RunRecorder implements Observer {
  readonly #clock: Clock;
  readonly #logger: Logger;
  /** The stream for which a request is made. */
  readonly #current = new AsyncLocalStorage<StreamName>();
  #hours = new Map<string, { readonly stream: StreamName; readonly hourAt: number; readonly counts: Counts }>();
  #isFailing = false;

  constructor(clock: Clock, logger: Logger) {
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Wraps the handlers, so that their requests count for the stream. */
  watching(handlers: QueueHandlers): QueueHandlers {
    return {
      deliver: (id, signal) => this.#current.run(id.stream, () => handlers.deliver(id, signal)),
      poll: (stream, signal) => this.#current.run(stream, () => handlers.poll(stream, signal)),
    };
  }

  /** Counts a request to the service. */
  readonly requested = (): void => {
    const stream = this.#current.getStore();
    if (stream !== undefined) this.#of(stream).requests += 1;
  };

  polled(stream: StreamName, { rowsRead, changed, durationMs }: PollFacts): void {
    const counts = this.#of(stream);
    counts.polls += 1;
    counts.rowsRead += rowsRead;
    counts.changed += changed;
    counts.busyMs += durationMs;
  }

  pollFailed(stream: StreamName): void {
    this.#of(stream).pollFailures += 1;
  }

  delivered({ stream }: RecordId, delivery: Delivery): void {
    const counts = this.#of(stream);
    const end = delivery.kind === "done" ? delivery.outcome : delivery.kind === "retry" ? "retried" : delivery.kind;
    counts[end] += 1;
    counts.busyMs += delivery.durationMs;
  }

  /** Stores the counts until the signal is aborted, then the rest. Never throws. */
  async run(store: Pick<HistoryStore, "addHistory">, signal: AbortSignal): Promise<void> {
    await repeatedly(FLUSH_MS, () => this.flush(store), signal);
    await this.flush(store);
  }

  /** Adds the counts to the store. Never throws. */
  async flush(store: Pick<HistoryStore, "addHistory">): Promise<void> {
    const hours = this.#hours;
    if (hours.size === 0) return;
    this.#hours = new Map();
    try {
      await store.addHistory(
        [...hours.values()].map(({ stream, hourAt, counts }): HistoryHour => ({ stream, hourAt, ...counts })),
      );
      this.#isFailing = false;
    } catch (thrown) {
      this.#keep(hours.values());
      if (!this.#isFailing) this.#logger.warn({ err: errorFacts(thrown) }, "run history was not stored");
      this.#isFailing = true;
    }
  }

  #keep(hours: Iterable<{ readonly stream: StreamName; readonly hourAt: number; readonly counts: Counts }>): void {
    for (const { stream, hourAt, counts } of hours) addCounts(this.#at(stream, hourAt), counts);
  }

  #of(stream: StreamName): Counts {
    const now = this.#clock.now();
    return this.#at(stream, now - (now % HOUR_MS));
  }

  #at(stream: StreamName, hourAt: number): Counts {
    const name = `${hourAt}/${stream}`;
    const known = this.#hours.get(name);
    if (known !== undefined) return known.counts;
    const counts: Counts = { ...noCounts };
    this.#hours.set(name, { stream, hourAt, counts });
    return counts;
  }
}
