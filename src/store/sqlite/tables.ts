import type { Database } from "better-sqlite3";
import { Bindings } from "./tables/bindings.ts";
import { Deletions } from "./tables/deletions.ts";
import { KnownRows } from "./tables/known-rows.ts";
import { MatchIndex } from "./tables/match-index.ts";
import { Streams } from "./tables/streams.ts";

/** One object per table, each with its prepared statements. */
export type Tables = ReturnType<typeof makeTables>;

export function makeTables(db: Database) {
  return {
    bindings: new Bindings(db),
    deletions: new Deletions(db),
    knownRows: new KnownRows(db),
    matches: new MatchIndex(db),
    streams: new Streams(db),
  };
}
