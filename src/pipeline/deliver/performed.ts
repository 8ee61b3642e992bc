import type { Outcome } from "#model";
import type { Claim } from "#store";
import type { Action } from "../decide/action.ts";

/** A delivery that is not done: the claim as it is now, and the decision about it. */
export interface Next {
  readonly claim: Claim;
  decide(): Promise<Action>;
}

/** "again": the service has changed since the decision, so the same is decided once more. */
export type Performed = Outcome | "again" | Next;
