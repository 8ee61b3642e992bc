import type { Database } from "better-sqlite3";
import type { Clock } from "#model";
import { ClaimRelease } from "./steps/claim-release.ts";
import { Deletions } from "./steps/deletions.ts";
import { ParentLinks } from "./steps/parent-links.ts";
import { AuditTrail } from "./tables/audit-trail.ts";
import { Bindings } from "./tables/bindings.ts";
import { Claims } from "./tables/claims.ts";
import { Intents } from "./tables/intents.ts";
import { createsNote, writesNote } from "../facts.ts";
import { MatchIndex } from "./tables/match-index.ts";
import { RequestCount, type Notes } from "./tables/notes.ts";
import { Streams } from "./tables/streams.ts";
import { Written } from "./tables/written.ts";

/** What the steps of a delivery use: one object per table, each with its prepared statements. */
export type Tables = ReturnType<typeof makeTables>;

export function makeTables(db: Database, clock: Clock, leaseMs: number, notes: Notes) {
  return {
    audit: new AuditTrail(db, clock),
    bindings: new Bindings(db),
    claims: new Claims(db, clock, leaseMs),
    creates: new RequestCount(db, createsNote),
    writes: new RequestCount(db, writesNote),
    deletions: new Deletions(db, clock),
    endings: new ClaimRelease(db, clock),
    family: new ParentLinks(db, clock, notes),
    intents: new Intents(db, clock),
    matches: new MatchIndex(db),
    streams: new Streams(db),
    written: new Written(db),
  };
}
