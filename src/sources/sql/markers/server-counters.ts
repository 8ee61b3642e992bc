import { ParkError } from "#model";
import type { Ceiling } from "./counter-marker.ts";
import type { Ask, Engine, ServerCounters } from "../engines/engine.ts";

/** @throws {ParkError} E_SOURCE_COUNTER where the database has no such counters. */
export function serverCounters(engine: Engine, wanted: string): ServerCounters {
  if (engine.counters) return engine.counters;
  throw new ParkError("E_SOURCE_COUNTER", `only SQL Server has ${wanted}, and this database is ${engine.name}`);
}

export async function rowversionCeiling(counters: ServerCounters, ask: Ask): Promise<Ceiling> {
  const { rows } = await ask(counters.rowversionCeiling);
  return { highest: BigInt(String(rows[0]![0])), lowest: undefined };
}

/** @throws {ParkError} E_SOURCE_TRACKING when change tracking is off for the table, or the user may not see it. */
export async function trackingCeiling(counters: ServerCounters, table: string, ask: Ask): Promise<Ceiling> {
  const { rows } = await ask(counters.trackedVersions(table));
  const [current = null, lowest = null] = rows[0] ?? [];
  if (current === null || lowest === null)
    throw new ParkError("E_SOURCE_TRACKING", `change tracking of ${table} is not enabled, or the user may not see it`, {
      details: { table },
    });
  return { highest: BigInt(String(current)), lowest: BigInt(String(lowest)) };
}
