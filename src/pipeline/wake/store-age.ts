import { errorFacts, WaitError } from "#model";
import type { Queue } from "#queue";
import { createsNote, type MaintenanceStore, type NoteStore } from "#store";
import type { Logger } from "#telemetry";

export interface StoreAgeDeps {
  readonly store: Pick<NoteStore, "note"> & Pick<MaintenanceStore, "restored">;
  readonly queue: Pick<Queue, "saveMark" | "mark">;
  readonly logger: Logger;
}

/**
 * Notices that the store's files were put back to an earlier state (a snapshot, a file copy, a cut write-ahead log). The queue
 * remembers how many creates were begun, and such a store knows fewer. An emptied queue proves nothing.
 */
export class StoreAge {
  readonly #deps: StoreAgeDeps;
  #last: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  /** The highest number that was or will be saved in the queue. */
  #creates = 0;

  constructor(deps: StoreAgeDeps) {
    this.#deps = deps;
  }

  /**
   * Compares the store with the queue. Marks a store that is behind as restored.
   * @throws {RetryError} when the queue does not answer.
   */
  async compare(): Promise<void> {
    const { store, queue, logger } = this.#deps;
    const marked = await queue.mark();
    const known = (await store.note(createsNote)) ?? 0;
    if (marked === undefined || marked <= known) {
      await queue.saveMark(known);
      return;
    }
    const error = new WaitError(
      "E_STORE_RESTORED",
      `the store knows ${known} of ${marked} creates: its files were restored to an earlier state`,
      { details: { known, marked } },
    );
    await store.restored(marked);
    logger.error({ known, marked, err: error }, "store is older than the service");
  }

  /**
   * Saves in the queue how many creates were begun in all. Call it after each begin and before the request to the service. Calls
   * during a save share the next one. A queue that does not answer prevents no create. Never throws.
   */
  tell(creates: number): Promise<void> {
    this.#creates = Math.max(this.#creates, creates);
    this.#next ??= this.#last.then(() => {
      this.#next = undefined;
      return (this.#last = this.#save());
    });
    return this.#next;
  }

  async #save(): Promise<void> {
    const { queue, logger } = this.#deps;
    try {
      await queue.saveMark(this.#creates);
    } catch (thrown) {
      logger.debug({ err: errorFacts(thrown) }, "queue was not told of a create");
    }
  }
}
