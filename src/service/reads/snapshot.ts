import { isJsonObject, ParkError, type Json, type JsonObject, type ResourceName, type ServiceId } from "#model";
import { serviceIdOf, keyText, sameValue } from "../dialect/values.ts";

/** Names that an error lists at most. */
const NAMES_LISTED = 50;

/** Tells which of the records are eligible. */
export type Accepts = (row: JsonObject) => boolean;

/** Reference data of one resource, as read at one moment. */
export class Snapshot {
  readonly readAt: number;
  readonly fields: readonly string[];
  readonly #rows: readonly JsonObject[];
  readonly #indexes = new Map<string, Map<string, JsonObject[]>>();

  constructor(readAt: number, fields: readonly string[], rows: readonly JsonObject[]) {
    this.readAt = readAt;
    this.fields = fields;
    this.#rows = rows;
  }

  /** Parses cached data; undefined when it does not have this shape. */
  static parse(readAt: number, entries: Json): Snapshot | undefined {
    if (!isJsonObject(entries)) return undefined;
    const { fields, rows } = entries;
    if (!Array.isArray(fields) || !Array.isArray(rows)) return undefined;
    return new Snapshot(
      readAt,
      fields.filter((field) => typeof field === "string"),
      rows.filter(isJsonObject),
    );
  }

  get entries(): Json {
    const kept = ["id", ...this.fields];
    const rows = this.#rows.map((row) => Object.fromEntries(kept.map((field) => [field, row[field] ?? null])));
    return { fields: [...this.fields], rows };
  }

  get count(): number {
    return this.#rows.length;
  }

  has(field: string): boolean {
    return this.fields.includes(field);
  }

  /** The ids of records whose field has this value. Deactivated records count only when there is no other. */
  ids(field: string, value: Json, accepts: Accepts): ServiceId[] {
    const rows = (this.#index(field).get(keyText(value) ?? "") ?? []).filter(accepts);
    const active = rows.filter((row) => !sameValue(true, row["deactivated"]));
    return (active.length > 0 ? active : rows).flatMap((row) => serviceIdOf(row["id"]) ?? []);
  }

  /** The distinct values of a field, sorted. */
  names(field: string, accepts: Accepts): string[] {
    const names = this.#rows.filter(accepts).flatMap((row) => keyText(row[field]) ?? []);
    return [...new Set(names)].toSorted();
  }

  #index(field: string): Map<string, JsonObject[]> {
    const index = this.#indexes.get(field) ?? Map.groupBy(this.#rows, (row) => keyText(row[field]) ?? "");
    this.#indexes.set(field, index);
    return index;
  }
}

/**
 * The id of the only record whose `by` is `value`.
 * @throws {ParkError} E_LOOKUP_UNKNOWN with the names that exist, E_LOOKUP_AMBIGUOUS with the ids.
 */
export function theOneId(
  snapshot: Snapshot,
  { resource, by, value }: { resource: ResourceName; by: string; value: string | number },
  accepts: Accepts = () => true,
): ServiceId {
  const ids = snapshot.ids(by, value, accepts);
  if (ids.length > 1)
    throw new ParkError("E_LOOKUP_AMBIGUOUS", `${ids.length} records of ${resource} have ${by} "${value}"`, {
      details: { resource, by, value, ids },
    });
  if (ids[0] !== undefined) return ids[0];
  const names = snapshot.names(by, accepts);
  const shown = names.slice(0, NAMES_LISTED).join(", ") + (names.length > NAMES_LISTED ? ", …" : "");
  throw new ParkError("E_LOOKUP_UNKNOWN", `no ${resource} has ${by} "${value}"; there are: ${shown || "none"}`, {
    details: { resource, by, value, names: names.slice(0, NAMES_LISTED) },
  });
}
