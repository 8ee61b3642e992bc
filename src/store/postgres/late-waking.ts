import type { QueryResult } from "pg";
import type { Clock } from "#model";
import { call, type SqlText } from "./sql.ts";

type TakeStep = (statements: readonly SqlText[]) => Promise<QueryResult[]>;

/** Wakes the remaining children of parents with very many, after the step that woke the first ones, as in the SQLite store. */
export class LateWaking {
  readonly #step: TakeStep;
  readonly #clock: Clock;
  #isRunning = false;

  constructor(step: TakeStep, clock: Clock) {
    this.#step = step;
    this.#clock = clock;
  }

  /** Runs a step that may wake very many records: the first ones in the step, the others after it. */
  async after(step: SqlText): Promise<void> {
    const results = await this.#step([step, call("is_waking")]);
    const [found]: { is_waking: boolean }[] = results.at(-1)?.rows ?? [];
    if (found?.is_waking) await this.run();
  }

  /**
   * Resolves when no child is left, or at once if another call is waking them. After a failure they stay noted for the next call or the
   * next start.
   */
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
      // The step before succeeded, and its caller must learn that.
    } finally {
      this.#isRunning = false;
    }
  }
}
