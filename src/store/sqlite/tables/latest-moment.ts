import type { Clock } from "#model";
import type { ReferenceData } from "./reference-data.ts";

/** Enough to tell a clock that was set from one that runs, and no more than two writes a second. */
const GRAIN_MS = 500;
const NOTE = "clock/latest";

/**
 * How far the clock had got when something was last written. Due times were made by that clock: who finds an earlier one
 * knows that it was set back, also when the daemon that saw the later one lived for a moment only.
 */
export class LatestMoment {
  readonly #notes: ReferenceData;
  readonly #clock: Clock;
  #ms: number;

  constructor(notes: ReferenceData, clock: Clock) {
    this.#notes = notes;
    this.#clock = clock;
    this.#ms = Number(notes.note(NOTE) ?? 0);
  }

  get ms(): number {
    return this.#ms;
  }

  /** Belongs into every transaction. */
  note(): void {
    if (this.#clock.now() >= this.#ms + GRAIN_MS) this.begin();
  }

  /** From now on the clock's present time counts, be it an earlier one. */
  begin(): void {
    this.#ms = this.#clock.now();
    this.#notes.saveNote(NOTE, this.#ms);
  }
}
