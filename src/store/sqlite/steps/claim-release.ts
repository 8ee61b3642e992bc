import type { Database } from "better-sqlite3";
import type { Clock, ErrorFacts } from "#model";
import { next, type RecordEvent } from "../../transitions.ts";
import type { Held } from "../tables/claims.ts";

export interface Ending {
  readonly attempts: number;
  readonly error?: ErrorFacts | undefined;
  /** When the record is due again; ignored unless the next state can become due. */
  readonly dueAt?: number | undefined;
  /** Whether an operator's answer `create` was carried out. */
  readonly answered?: boolean;
  /** The event that follows the step at once, in the same transaction. */
  readonly followedBy?: "change" | "parentBound" | undefined;
}

/** Ends a claim. No other class gives a claimed record its next state. */
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
    // Something happened during the claim (a newer change, a new mapping, a moved parent), so the record is due again.
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
