import type { Database } from "better-sqlite3";
import type { Store } from "../contract/index.ts";
import type { Access } from "./access.ts";
import { Acts } from "./tables/acts.ts";
import { Care } from "./tables/care.ts";
import { Groups } from "./tables/groups.ts";
import { Notices } from "./tables/notices.ts";
import { RunHistory } from "./tables/run-history.ts";
import { Watches } from "./tables/watches.ts";
import { Forgetting } from "./steps/forgetting.ts";
import type { Tables } from "./tables.ts";

/** What the store keeps for people, beside the story of records. */
export type Roles = Pick<Store, "acts" | "notices" | "groups" | "history" | "care" | "privacy" | "watches">;

export function makeRoles(db: Database, tables: Tables, access: Access): Roles {
  return {
    acts: new Acts(db, tables.audit, access),
    notices: new Notices(db, access),
    groups: new Groups(db, access),
    history: new RunHistory(db, access),
    care: new Care(db, access),
    privacy: new Forgetting(db, tables, access),
    watches: new Watches(db, tables.audit, access),
  };
}
