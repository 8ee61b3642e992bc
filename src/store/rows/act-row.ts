import type { PersonAct } from "../contract/people/acts.ts";
import type { ActorRow } from "./actor-row.ts";

/** Equal acts combined, with the id of the last. */
export interface ActRow extends Omit<PersonAct, "by">, ActorRow {
  readonly id: number;
}

/** Selects the acts in a part of the audit trail and combines equal ones. */
export function alikeActs(actsOfPeople: string, range: string): string {
  return `
    SELECT MAX(at) AS at, MAX(id) AS id, stream, MIN(key) AS key, COUNT(*) AS count, action, outcome, actor, via, why
    FROM ${actsOfPeople}
    WHERE actor IS NOT NULL AND ${range} AND (@stream IS NULL OR stream = @stream)
    GROUP BY stream, CASE WHEN key = '' THEN id ELSE 0 END, action, outcome, actor, via, why, at / 60000`;
}
