import { errorFacts, WaitError } from "#model";
import type { MarkName, Queue } from "#queue";
import { comparisonNote, createsNote, writesNote, type MaintenanceStore, type Note, type NoteStore } from "#store";
import type { Logger } from "#telemetry";

export interface StoreAgeDeps {
  readonly store: NoteStore & Pick<MaintenanceStore, "restored">;
  readonly queue: Pick<Queue, "saveMark" | "mark">;
  readonly logger: Logger;
}

const notes: Readonly<Record<MarkName, Note<number>>> = { creates: createsNote, writes: writesNote };

/**
 * Notices that the store's files were put back to an earlier state (a snapshot, a file copy, a cut write-ahead log). The queue
 * remembers how many creates and other writes were begun, and such a store knows fewer. An emptied queue proves nothing.
 */
export class StoreAge {
  readonly #deps: StoreAgeDeps;
  readonly #told: Readonly<Record<MarkName, ToldCount>>;

  constructor(deps: StoreAgeDeps) {
    this.#deps = deps;
    this.#told = { creates: new ToldCount(deps, "creates"), writes: new ToldCount(deps, "writes") };
  }

  /**
   * Compares the store with the queue. Marks a store that lacks creates as restored, and one that lacks other writes as one whose
   * records have to be compared with the service.
   * @throws {RetryError} when the queue does not answer.
   */
  async compare(): Promise<void> {
    const { store } = this.#deps;
    const creates = await this.#behind("creates");
    if (creates !== undefined) await store.restored(creates);
    const writes = await this.#behind("writes");
    if (writes === undefined) return;
    await store.saveNote(comparisonNote, true);
    await store.saveNote(writesNote, writes);
  }

  /** Returns how many the queue knows, if the store knows fewer. Otherwise tells the queue. */
  async #behind(of: MarkName): Promise<number | undefined> {
    const { store, queue, logger } = this.#deps;
    const marked = await queue.mark(of);
    const known = (await store.note(notes[of])) ?? 0;
    if (marked === undefined || marked <= known) {
      await queue.saveMark(known, of);
      return undefined;
    }
    const error = new WaitError(
      "E_STORE_RESTORED",
      `the store knows ${known} of ${marked} ${of}: its files were restored to an earlier state`,
      { details: { known, marked } },
    );
    logger.error({ known, marked, err: error }, "store is older than the service");
    return marked;
  }

  /**
   * Saves in the queue how many creates, or other writes, were begun in all. Call it after each begin and before the request to the
   * service. Calls during a save share the next one. A queue that does not answer prevents no write. Never throws.
   */
  tell(count: number, of: MarkName = "creates"): Promise<void> {
    return this.#told[of].tell(count);
  }
}

/** Saves a count in the queue, one save at a time. */
class ToldCount {
  readonly #deps: Pick<StoreAgeDeps, "queue" | "logger">;
  readonly #of: MarkName;
  #last: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  /** The highest number that was or will be saved in the queue. */
  #count = 0;

  constructor(deps: Pick<StoreAgeDeps, "queue" | "logger">, of: MarkName) {
    this.#deps = deps;
    this.#of = of;
  }

  tell(count: number): Promise<void> {
    this.#count = Math.max(this.#count, count);
    this.#next ??= this.#last.then(() => {
      this.#next = undefined;
      return (this.#last = this.#save());
    });
    return this.#next;
  }

  async #save(): Promise<void> {
    const { queue, logger } = this.#deps;
    try {
      await queue.saveMark(this.#count, this.#of);
    } catch (thrown) {
      logger.debug({ err: errorFacts(thrown) }, "queue was not told of a write");
    }
  }
}
