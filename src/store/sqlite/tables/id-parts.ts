import type { Database } from "better-sqlite3";
import type { ResourceName } from "#model";

/** Comes before every id, as infinity after them. */
export const FIRST = -Infinity;
/** Which records are in a part of `@resource`. */
export const IN_PART = "resource = @resource AND service_id >= @from AND service_id < @to";

/** Service ids of one resource, in order. */
export interface IdPart {
  readonly resource: ResourceName;
  readonly from: number;
  readonly to: number;
  /** Where the next part begins, if there is one. */
  readonly next: number | undefined;
}

/** Cuts the ids of a resource into parts of so many rows. */
export class IdParts {
  readonly #after;

  constructor(db: Database, table: "bindings" | "match_records", size: number) {
    this.#after = db
      .prepare<[string, number], number>(
        `SELECT service_id FROM ${table} WHERE resource = ? AND service_id >= ? ORDER BY service_id LIMIT 1 OFFSET ${size}`,
      )
      .pluck();
  }

  /** The part that begins with this id. */
  at(resource: ResourceName, from: number): IdPart {
    const next = this.#after.get(resource, from);
    return { resource, from, to: next ?? Infinity, next };
  }

  /** All parts; each is cut when it is asked for. */
  *of(resource: ResourceName): Generator<IdPart> {
    for (let next: number | undefined = FIRST; next !== undefined;) {
      const part = this.at(resource, next);
      yield part;
      next = part.next;
    }
  }
}
