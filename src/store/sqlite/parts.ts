import type { Database } from "better-sqlite3";
import type { Clock } from "#model";
import type { Logger } from "#telemetry";
import { StepRunner } from "./step-runner.ts";
import { Remapping } from "./steps/remapping.ts";
import { Retries } from "./steps/retries.ts";
import { Schedule } from "./steps/schedule.ts";
import { SqliteSetBack } from "./steps/set-back.ts";
import { Sweeps } from "./steps/sweeps.ts";
import { makeTables } from "./tables.ts";
import { LatestMoment } from "./tables/latest-moment.ts";
import { Notes } from "./tables/notes.ts";
import { RecentActs } from "./tables/recent-acts.ts";
import { Views } from "./tables/views.ts";

/** The parts of the store: its tables, and the steps that use several of them. */
export type StoreDeps = ReturnType<typeof makeStoreDeps>;

export function makeStoreDeps(db: Database, clock: Clock, logger: Logger) {
  const notes = new Notes(db, logger);
  const tables = makeTables(db);
  const moment = new LatestMoment(notes, clock);
  return {
    ...tables,
    steps: new StepRunner(db),
    remapping: new Remapping(db, clock, tables.streams),
    schedule: new Schedule(db, clock),
    retries: new Retries(db, clock, tables.streams),
    recentActs: new RecentActs(db),
    views: new Views(db, tables.streams),
    sweeps: new Sweeps(db),
    notes,
    moment,
    setBack: new SqliteSetBack(db, clock, notes, moment),
    revision: new Revision(db),
  };
}

/** A number that grows with each commit: SQLite's data version counts those of others, the changed rows show those of this connection. */
class Revision {
  readonly #others;
  readonly #own;

  constructor(db: Database) {
    this.#others = db.prepare<[], number>("PRAGMA data_version").pluck();
    this.#own = db.prepare<[], number>("SELECT total_changes()").pluck();
  }

  number(): number {
    return (this.#others.get() ?? 0) + (this.#own.get() ?? 0);
  }
}
