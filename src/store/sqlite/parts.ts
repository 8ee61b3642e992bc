import type { Database } from "better-sqlite3";
import type { Clock } from "#model";
import { Answers } from "./answers.ts";
import { Journal } from "./journal.ts";
import { LatestMoment } from "./latest-moment.ts";
import { MatchIndex } from "./match-index.ts";
import { DeliverySteps } from "./outcomes.ts";
import { Rechecks } from "./rechecks.ts";
import { ReferenceData } from "./reference-data.ts";
import { Remapping } from "./remapping.ts";
import { Schedule } from "./schedule.ts";
import { Staging } from "./staging.ts";
import { Sweeps } from "./sweeps.ts";
import { makeTables } from "./tables.ts";
import { Views } from "./views.ts";

/** What the store's methods are made of: the tables, and the steps that work on several of them. */
export type StoreDeps = ReturnType<typeof makeParts>;

export function makeParts(db: Database, clock: Clock, leaseMs: number) {
  const tables = makeTables(db, clock, leaseMs);
  const reference = new ReferenceData(db, clock);
  return {
    ...tables,
    staging: new Staging(db, clock, tables.streams),
    remapping: new Remapping(db, clock, tables.streams),
    schedule: new Schedule(db, clock),
    journal: new Journal(tables),
    outcomes: new DeliverySteps(tables),
    answers: new Answers(db, clock, tables),
    rechecks: new Rechecks(db, clock, tables),
    views: new Views(db, tables.family, tables.streams),
    sweeps: new Sweeps(db),
    reference,
    matches: new MatchIndex(db),
    moment: new LatestMoment(reference, clock),
  };
}
