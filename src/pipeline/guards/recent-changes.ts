import type { Clock, StreamName } from "#model";
import type { NoteStore } from "#store";
import { massRecentNote } from "../holds/mass-hold.ts";

/** Polls within this time count as one round: an import that takes minutes arrives in many polls. */
export const ROUND_MS = 600_000;
/** Resolution of what is remembered. */
const MARK_MS = 60_000;

/** How many changes of bound records were let through lately, across restarts. */
export class RecentChanges {
  readonly #store: NoteStore;
  readonly #clock: Pick<Clock, "now">;

  constructor({ store, clock }: { readonly store: NoteStore; readonly clock: Pick<Clock, "now"> }) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Counts those within {@link ROUND_MS}. A record that changed twice counts twice. */
  async count(stream: StreamName): Promise<number> {
    return (await this.#marks(stream)).reduce((sum, { count }) => sum + count, 0);
  }

  async add(stream: StreamName, count: number): Promise<void> {
    if (count === 0) return;
    const at = Math.floor(this.#clock.now() / MARK_MS) * MARK_MS;
    const marks = await this.#marks(stream);
    const last = marks.at(-1);
    const earlier = last?.at === at ? marks.slice(0, -1) : marks;
    const sum = last?.at === at ? last.count + count : count;
    await this.#store.saveNote(massRecentNote(stream), [...earlier, { at, count: sum }]);
  }

  /** Begins to count again, because a person has decided or was asked. */
  async clear(stream: StreamName): Promise<void> {
    await this.#store.saveNote(massRecentNote(stream), undefined);
  }

  async #marks(stream: StreamName): Promise<readonly { readonly at: number; readonly count: number }[]> {
    const now = this.#clock.now();
    const marks = (await this.#store.note(massRecentNote(stream))) ?? [];
    return marks.filter(({ at }) => at > now - ROUND_MS && at <= now);
  }
}
