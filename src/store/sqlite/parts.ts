import type { Database } from "better-sqlite3";
import type { Clock } from "#model";
import type { Logger } from "#telemetry";
import { OperatorDecisions } from "./steps/operator-decisions.ts";
import { Journal } from "./steps/journal.ts";
import { LatestMoment } from "./tables/latest-moment.ts";
import { DeliverySteps } from "./steps/delivery-steps.ts";
import { Rechecks } from "./steps/rechecks.ts";
import { Revision } from "./tables/revision.ts";
import { ReferenceData } from "./tables/reference-data.ts";
import { Notes } from "./tables/notes.ts";
import { Remapping } from "./steps/remapping.ts";
import { Schedule } from "./steps/schedule.ts";
import { Staging } from "./steps/staging.ts";
import { Sweeps } from "./steps/sweeps.ts";
import { makeTables } from "./tables.ts";
import { Views } from "./tables/views.ts";

/** What the store's methods are made of: the tables, and the steps that work on several of them. */
export type StoreDeps = ReturnType<typeof makeStoreDeps>;

export function makeStoreDeps(db: Database, clock: Clock, leaseMs: number, logger: Logger) {
  const tables = makeTables(db, clock, leaseMs);
  const notes = new Notes(db, logger);
  return {
    ...tables,
    staging: new Staging(db, clock, tables.streams),
    remapping: new Remapping(db, clock, tables.streams),
    schedule: new Schedule(db, clock),
    journal: new Journal(tables),
    outcomes: new DeliverySteps(tables),
    decisions: new OperatorDecisions(db, clock, tables),
    rechecks: new Rechecks(db, clock, tables),
    views: new Views(db, tables.family, tables.streams),
    sweeps: new Sweeps(db),
    reference: new ReferenceData(db, clock),
    notes,
    moment: new LatestMoment(notes, clock),
    revision: new Revision(db),
  };
}
