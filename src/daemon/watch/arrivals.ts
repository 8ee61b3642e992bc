import { errorFacts, sleep, type Clock, type Outcome, type RecordId, type StreamName } from "#model";
import { addArrivals, arrivalsNote, type Delivery, type Observer } from "#pipeline";
import type { NoteStore } from "#store";
import type { Logger } from "#telemetry";

const FLUSH_MS = 60_000;

/** Outcomes after which the service holds what the ERP showed. */
export const ARRIVALS: ReadonlySet<Outcome> = new Set(["created", "adopted", "updated", "deleted"]);

/** Notes how long changes took from the ERP to the service, once a minute: no delivery waits for it. */
export class Arrivals implements Observer {
  readonly #clock: Clock;
  readonly #logger: Logger;
  #times = new Map<StreamName, number[]>();

  constructor(clock: Clock, logger: Logger) {
    this.#clock = clock;
    this.#logger = logger;
  }

  delivered({ stream }: RecordId, delivery: Delivery): void {
    if (delivery.kind !== "done" || delivery.sinceChangeMs === undefined || !ARRIVALS.has(delivery.outcome)) return;
    const times = this.#times.get(stream) ?? [];
    times.push(delivery.sinceChangeMs);
    this.#times.set(stream, times);
  }

  async run(store: NoteStore, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await sleep(FLUSH_MS, signal);
      await this.flush(store);
    }
  }

  /** Adds what was counted to the store. Never throws: what could not be stored is left out. */
  async flush(store: NoteStore): Promise<void> {
    const times = this.#times;
    this.#times = new Map();
    try {
      for (const [stream, some] of times) {
        const known = (await store.note(arrivalsNote(stream))) ?? [];
        await store.saveNote(arrivalsNote(stream), addArrivals(known, some, this.#clock.now()));
      }
    } catch (thrown) {
      this.#logger.debug({ err: errorFacts(thrown) }, "arrival times were not stored");
    }
  }
}
