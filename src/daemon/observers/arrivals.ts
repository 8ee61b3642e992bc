import { errorFacts, sleep, type Clock, type RecordId, type StreamName } from "#model";
import { addArrivals, arrivalMs, arrivalsNote, withArrival, type Delivery, type Observer } from "#pipeline";
import type { NoteStore } from "#store";
import type { Logger } from "#telemetry";

const FLUSH_MS = 60_000;

/** Notes how long changes took from the ERP to the service, once a minute: no delivery waits for it. */
export class Arrivals implements Observer {
  readonly #clock: Clock;
  readonly #logger: Logger;
  /** Since the last flush, by bucket. */
  #counts = new Map<StreamName, readonly number[]>();

  constructor(clock: Clock, logger: Logger) {
    this.#clock = clock;
    this.#logger = logger;
  }

  delivered({ stream }: RecordId, delivery: Delivery): void {
    const ms = arrivalMs(delivery);
    if (ms !== undefined) this.#counts.set(stream, withArrival(this.#counts.get(stream), ms));
  }

  /** Stores what was counted until the signal is aborted, and then the rest. Never throws. */
  async run(store: NoteStore, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await sleep(FLUSH_MS, signal);
      await this.#flush(store);
    }
    await this.#flush(store);
  }

  /** What could not be stored is left out. */
  async #flush(store: NoteStore): Promise<void> {
    const counts = this.#counts;
    this.#counts = new Map();
    try {
      for (const [stream, added] of counts) {
        // Another replica may add to it at the same time.
        for (let isSaved = false; !isSaved;) {
          const known = await store.note(arrivalsNote(stream));
          const next = addArrivals(known ?? [], added, this.#clock.now());
          isSaved = await store.replaceNote(arrivalsNote(stream), known, next);
        }
      }
    } catch (thrown) {
      this.#logger.debug({ err: errorFacts(thrown) }, "arrival times were not stored");
    }
  }
}
