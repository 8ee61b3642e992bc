import { errorFacts, repeatedly, type Clock, type RecordId, type StreamName } from "#model";
import { addArrivals, arrivalMs, arrivalsNote, withArrival, type Delivery, type Observer } from "#pipeline";
import type { NoteStore } from "#store";
import type { Logger } from "#telemetry";

const FLUSH_MS = 60_000;

/** Records how long changes took from the ERP to the service. Stores the counts once a minute, so no delivery waits. */
export class Arrivals implements Observer {
  readonly #clock: Clock;
  readonly #logger: Logger;
  /** Counts since the last flush, by bucket. */
  #counts = new Map<StreamName, readonly number[]>();

  constructor(clock: Clock, logger: Logger) {
    this.#clock = clock;
    this.#logger = logger;
  }

  delivered({ stream }: RecordId, delivery: Delivery): void {
    const ms = arrivalMs(delivery);
    if (ms !== undefined) this.#counts.set(stream, withArrival(this.#counts.get(stream), ms));
  }

  /** Stores the counts until the signal is aborted, then the rest. Never throws. */
  async run(store: NoteStore, signal: AbortSignal): Promise<void> {
    await repeatedly(FLUSH_MS, () => this.#flush(store), signal);
    await this.#flush(store);
  }

  /** Drops counts that could not be stored. */
  async #flush(store: NoteStore): Promise<void> {
    const counts = this.#counts;
    this.#counts = new Map();
    try {
      for (const [stream, added] of counts) {
        // Another process may update the note at the same time, so retry.
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
