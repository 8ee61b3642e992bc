import type { RevisionStore } from "#store";

/** Lets a loop skip its query when nothing was written to the store since the last one. */
export class StoreNews {
  readonly #store: RevisionStore;
  #seen: number | undefined;

  constructor(store: RevisionStore) {
    this.#store = store;
  }

  /** Whether anything was, or may have been, written since the last call. Never throws. */
  async any(): Promise<boolean> {
    const revision = await this.#store.revision().catch(() => undefined);
    const isNew = revision === undefined || revision !== this.#seen;
    this.#seen = revision;
    return isNew;
  }

  /** Makes the next answer true: the last look failed, or what it found ends without a write. */
  lookAgain(): void {
    this.#seen = undefined;
  }
}
