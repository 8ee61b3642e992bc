import type { Clock } from "#model";
import { GRAIN_MS, latestNote } from "../../facts.ts";
import type { Notes } from "./notes.ts";

/**
 * How far the clock had got when something was last written. Due times were made by that clock: who finds an earlier one
 * knows that it was set back, also when the daemon that saw the later one lived for a moment only.
 */
export class LatestMoment {
  readonly #notes: Notes;
  readonly #clock: Clock;
  #ms: number;

  constructor(notes: Notes, clock: Clock) {
    this.#notes = notes;
    this.#clock = clock;
    this.#ms = notes.note(latestNote) ?? 0;
  }

  get ms(): number {
    return this.#ms;
  }

  /** Belongs into every transaction. */
  note(): void {
    if (this.#clock.now() >= this.#ms + GRAIN_MS) this.begin();
  }

  /** From now on this moment counts, even if it is an earlier one. */
  begin(ms = this.#clock.now()): void {
    this.#ms = ms;
    this.#notes.save(latestNote, this.#ms);
  }
}
