import type { Database } from "better-sqlite3";
import type { ResourceName } from "#model";

/** Sorts before every id. */
export const FIRST = -Infinity;
/** Condition: the row is in this part of `@resource`. */
export const IN_PART = "resource = @resource AND service_id >= @from AND service_id < @to";

/** A range of service ids of one resource. */
export interface IdPart {
  readonly resource: ResourceName;
  readonly from: number;
  readonly to: number;
  /** The first id of the next part, if there is one. */
  readonly next: number | undefined;
}

/** Divides the ids of a resource into parts. */
export class IdParts {
  readonly #after;

  constructor(db: Database, table: "bindings" | "match_records") {
    this.#after = db
      .prepare<[string, number, number], number>(
        `SELECT service_id FROM ${table} WHERE resource = ? AND service_id >= ? ORDER BY service_id LIMIT 1 OFFSET ?`,
      )
      .pluck();
  }

  /** The part that begins with this id and has so many rows. */
  at(resource: ResourceName, from: number, rows: number): IdPart {
    const next = this.#after.get(resource, from, rows);
    return { resource, from, to: next ?? Infinity, next };
  }

  /** All parts; each part's end is determined when it is requested. */
  *of(resource: ResourceName, rows: number): Generator<IdPart> {
    for (let next: number | undefined = FIRST; next !== undefined;) {
      const part = this.at(resource, next, rows);
      yield part;
      next = part.next;
    }
  }
}
