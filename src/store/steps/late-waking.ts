import type { Clock } from "#model";
import { eraseNote } from "../statements/notes.ts";
import { findRemainingParents, findRemainingWaits, type RemainingRow } from "../statements/waking.ts";
import type { WokenChildren } from "../waking.ts";
import { recordName } from "#model";
import { wakeChildren } from "./family.ts";
import type { Step, StepDriver } from "./step.ts";

/** Wakes the next children of one parent. Gives false if no parent has any left. */
export function wakeRemaining(who: WokenChildren, now: number): Step<{ children: RemainingRow }, boolean> {
  return {
    // It belongs to no record.
    record: { stream: "", key: who },
    facts: { children: [who === "waits" ? findRemainingWaits({}) : findRemainingParents({})] },
    decide({ children }) {
      const [first] = children;
      if (first === undefined) return { writes: [], value: false };
      const found = children.flatMap(({ id, stream, key, state }) =>
        id === null || stream === null || key === null || state === null ? [] : [{ id, stream, key, state }],
      );
      const { writes, touches } = wakeChildren(first.parent ?? 0, { who, found }, now);
      const { parent_stream: stream, parent_key: key } = first;
      const parent = stream === null || key === null ? [] : [recordName({ stream, key })];
      return {
        // A note about the others, if there are any, replaces this one.
        writes: [eraseNote({ name: first.note }), ...writes],
        value: true,
        touches: [...parent, ...touches],
      };
    },
  };
}

/** Wakes the remaining children of parents with very many, after the step that woke the first ones. */
export class LateWaking {
  readonly #driver: StepDriver;
  readonly #clock: Clock;
  readonly #rest: () => Promise<void>;
  #isRunning = false;

  /** `rest` is the pause between two steps. */
  constructor(driver: StepDriver, clock: Clock, rest: () => Promise<void> = () => Promise.resolve()) {
    this.#driver = driver;
    this.#clock = clock;
    this.#rest = rest;
  }

  /**
   * Resolves when no child is left, or at once if another call is waking them. After a failure they stay noted for the next call or the
   * next start.
   */
  async run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      for (const who of ["waits", "parents"] as const)
        while (await this.#driver.take(wakeRemaining(who, this.#clock.now()))) await this.#rest();
    } catch {
      // The step before succeeded, and its caller must learn that.
    } finally {
      this.#isRunning = false;
    }
  }
}
