import type { Database } from "better-sqlite3";
import type { Clock, ErrorFacts } from "#model";
import { next, type RecordEvent } from "../../transitions.ts";
import type { Held } from "../tables/claims.ts";

export interface Ending {
  readonly attempts: number;
  readonly error?: ErrorFacts | undefined;
  /** When the record is due again; asked only of a state that can become due. */
  readonly dueAt?: number | undefined;
  /** An operator's answer to create was carried out. */
  readonly answered?: boolean;
  /** What happens to the record at once after the step, in the same transaction. */
  readonly followedBy?: "change" | "parentBound" | undefined;
}

/** Ends a claim: the one place where a claimed record gets its next state. */
export class ClaimRelease {
  readonly #clock: Clock;
  readonly #update;

  constructor(db: Database, clock: Clock) {
    this.#clock = clock;
    this.#update = db.prepare(`
      UPDATE records SET state = @state, due_at = @dueAt, attempts = @attempts, error = @error, token = NULL, again = 0,
        decision = CASE WHEN @answered AND decision = 'create' THEN NULL ELSE decision END
      WHERE id = @id`);
  }

  end(held: Held, event: RecordEvent, ending: Ending): void {
    const { id } = held;
    const answered = ending.answered === true ? 1 : 0;
    const ended = next("claimed", event);
    const now = this.#clock.now();
    // A newer change, a new mapping or a moved parent came during the claim: this version is not the last word.
    if (held.again === 1 || ending.followedBy === "change")
      this.#update.run({ id, answered, state: next(ended, "change"), dueAt: now, attempts: 0, error: null });
    else {
      const { attempts } = ending;
      const woken = ending.followedBy === "parentBound";
      const state = woken ? next(ended, "parentBound") : ended;
      const error = woken || ending.error === undefined ? null : JSON.stringify(ending.error);
      const dueAt = woken ? now : (ending.dueAt ?? null);
      this.#update.run({ id, answered, state, dueAt, attempts, error });
    }
  }
}
