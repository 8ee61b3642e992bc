import type { Database } from "better-sqlite3";
import type { Clock } from "#model";
import { AuditTrail } from "./tables/audit-trail.ts";
import { Bindings } from "./tables/bindings.ts";
import { Claims } from "./tables/claims.ts";
import { CreateCount } from "./tables/create-count.ts";
import { Deletions } from "./steps/deletions.ts";
import { ClaimRelease } from "./steps/claim-release.ts";
import { ParentLinks } from "./steps/parent-links.ts";
import { MatchIndex } from "./tables/match-index.ts";
import { Intents } from "./tables/intents.ts";
import { Streams } from "./tables/streams.ts";
import { Written } from "./tables/written.ts";

/** What the steps of a delivery are made of: one part per table, each with its prepared statements. */
export interface Tables {
  readonly audit: AuditTrail;
  readonly bindings: Bindings;
  readonly claims: Claims;
  readonly creates: CreateCount;
  readonly deletions: Deletions;
  readonly endings: ClaimRelease;
  readonly family: ParentLinks;
  readonly intents: Intents;
  readonly matches: MatchIndex;
  readonly streams: Streams;
  readonly written: Written;
}

export function makeTables(db: Database, clock: Clock, leaseMs: number): Tables {
  return {
    audit: new AuditTrail(db, clock),
    bindings: new Bindings(db),
    claims: new Claims(db, clock, leaseMs),
    creates: new CreateCount(db),
    deletions: new Deletions(db, clock),
    endings: new ClaimRelease(db, clock),
    family: new ParentLinks(db, clock),
    intents: new Intents(db, clock),
    matches: new MatchIndex(db),
    streams: new Streams(db, clock),
    written: new Written(db),
  };
}
