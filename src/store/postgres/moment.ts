import type { Clock } from "#model";
import { GRAIN_MS, latestNote } from "../facts.ts";
import { upsert } from "../roles/access.ts";
import { filled, type SqlText } from "./sql.ts";

/** How far the clock had got when something was last written, as in the SQLite store. */
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

  /** The statement that belongs into a transaction of now, if any. It may come to nothing: the next one is half a second away. */
  note(): readonly SqlText[] {
    return this.#clock.now() >= this.#ms + GRAIN_MS ? [this.begin()] : [];
  }

  /** The statement that makes this moment count, even if it is an earlier one. */
  begin(ms = this.#clock.now()): SqlText {
    this.#ms = ms;
    return filled(upsert("notes", "name", { name: latestNote.name, value: JSON.stringify(this.#ms) }));
  }
}
