import type { Database } from "better-sqlite3";
import type { Clock } from "#model";

/** Enough to tell a clock that was set from one that runs, and no more than two writes a second. */
const GRAIN_MS = 500;
const NOTE = "clock/latest";

/**
 * How far the clock had got when something was last written. Due times were made by that clock: who finds an earlier one
 * knows that it was set back, also when the daemon that saw the later one lived for a moment only.
 */
export class LatestMoment {
  readonly #clock: Clock;
  readonly #save;
  #ms: number;

  constructor(db: Database, clock: Clock) {
    this.#clock = clock;
    this.#save = db.prepare<[string, string]>(`
      INSERT INTO notes (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value`);
    this.#ms = Number(db.prepare<[string], string>("SELECT value FROM notes WHERE name = ?").pluck().get(NOTE) ?? 0);
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
    this.#save.run(NOTE, String(this.#ms));
  }
}
