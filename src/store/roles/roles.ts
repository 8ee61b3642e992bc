import type { Clock } from "#model";
import type { Store } from "../contract/index.ts";
import type { Access, Dialect } from "./access.ts";
import { Acts } from "./acts.ts";
import { Care } from "./care.ts";
import { Groups } from "./groups.ts";
import { Notices } from "./notices.ts";
import { Returns } from "./returns.ts";
import { Rounds } from "./rounds.ts";
import { RunHistory } from "./run-history.ts";
import { Standings } from "./standings.ts";
import { Watches } from "./watches.ts";

/** Roles whose code all stores share: what a store keeps for people, and the rounds of changes that a guard counts. */
export type Roles = Pick<
  Store,
  "acts" | "notices" | "groups" | "history" | "care" | "watches" | "rounds" | "returns" | "standings"
>;

export function makeRoles(access: Access, clock: Clock, dialect: Dialect): Roles {
  return {
    acts: new Acts(access, clock, dialect),
    notices: new Notices(access),
    groups: new Groups(access, dialect),
    history: new RunHistory(access),
    care: new Care(access),
    returns: new Returns(access, clock, dialect),
    rounds: new Rounds(access),
    standings: new Standings(access, dialect),
    watches: new Watches(access, clock, dialect),
  };
}
