import type { Clock } from "#model";
import { GRAIN_MS, latestNote } from "../facts.ts";
import { upsert } from "../roles/access.ts";
import { filled, type SqlText } from "./sql.ts";

/** The clock's time when something was last written, as in the SQLite store. */
export class Moment {
  readonly #clock: Clock;
  #ms: number;

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  get ms(): number {
    return this.#ms;
  }

  /** The statement to add to the current transaction, if any. If that transaction fails, the next statement follows half a second later. */
  note(): readonly SqlText[] {
    return this.#clock.now() >= this.#ms + GRAIN_MS ? [this.begin()] : [];
  }

  /** The statement that sets this time, even if it is earlier. */
  begin(ms = this.#clock.now()): SqlText {
    this.#ms = ms;
    return filled(upsert("notes", "name", { name: latestNote.name, value: JSON.stringify(this.#ms) }));
  }
}
