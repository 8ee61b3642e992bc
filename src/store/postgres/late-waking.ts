import type { Clock } from "#model";
import type { Database } from "./database.ts";
import { call, type SqlText } from "./sql.ts";

/** Wakes the children of parents with very many, after the step that woke the first of them, as in the SQLite store. */
export class LateWaking {
  readonly #step: Database["step"];
  readonly #clock: Clock;
  #isRunning = false;

  constructor(step: Database["step"], clock: Clock) {
    this.#step = step;
    this.#clock = clock;
  }

  /** A step that may wake very many records: some in it, the others after it. */
  async after(step: SqlText): Promise<void> {
    const results = await this.#step([step, call("is_waking")]);
    const [found]: { is_waking: boolean }[] = results.at(-1)?.rows ?? [];
    if (found?.is_waking) await this.run();
  }

  /** Resolves when no child is left, or another call wakes them. What fails stays noted, for the next call or the next start. */
  async run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      let left = true;
      while (left) {
        const [result] = await this.#step([call("wake_others", this.#clock.now())]);
        const [found]: { wake_others: boolean }[] = result?.rows ?? [];
        left = found?.wake_others === true;
      }
    } catch {
      // The step before was done, and its caller must learn that.
    } finally {
      this.#isRunning = false;
    }
  }
}
