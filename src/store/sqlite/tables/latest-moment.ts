import type { Clock } from "#model";
import { GRAIN_MS, latestNote } from "../../facts.ts";
import type { Notes } from "./notes.ts";

/**
 * The clock's time when something was last written. Due times follow that clock. A process that finds an earlier time knows that the clock
 * was set back, even if the daemon that saw the later time ran only for a moment.
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

  /** Call in every transaction. */
  note(): void {
    if (this.#clock.now() >= this.#ms + GRAIN_MS) this.begin();
  }

  /** Sets the stored time, even if it is earlier. */
  begin(ms = this.#clock.now()): void {
    this.#ms = ms;
    this.#notes.save(latestNote, this.#ms);
  }
}
