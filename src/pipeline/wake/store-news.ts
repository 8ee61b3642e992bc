import type { RevisionStore } from "#store";

/** Lets a loop skip its query when nothing was written to the store since the last one. */
export class StoreNews {
  readonly #store: RevisionStore;
  #seen: number | undefined;

  constructor(store: RevisionStore) {
    this.#store = store;
  }

  /** Whether anything was written since this was last asked, or might have been. Never throws. */
  async any(): Promise<boolean> {
    const revision = await this.#store.revision().catch(() => undefined);
    const isNew = revision === undefined || revision !== this.#seen;
    this.#seen = revision;
    return isNew;
  }

  /** The next answer is yes: the last look failed, or what it found ends without a write. */
  lookAgain(): void {
    this.#seen = undefined;
  }
}
