import { isJsonObject, ParkError, type Json, type JsonObject, type ResourceName, type ServiceId } from "#model";
import { resourceFacts } from "./catalogue.ts";
import type { NaturalKey } from "./contract.ts";
import { ServiceRefusal } from "./failures.ts";
import { customFieldOf } from "./fields.ts";
import type { Lists } from "./lists.ts";
import { idOf, keyText, sameKeyPart } from "./values.ts";

/** A record that is known to be there, to try other ways on. */
export interface Sample {
  readonly id: ServiceId;
  readonly key: NaturalKey;
}

/** Looks for natural keys by reading the list to its end, narrowed by the filters that fit the key. */
export class Scan {
  readonly #lists: Lists;

  constructor(lists: Lists) {
    this.#lists = lists;
  }

  /**
   * The ids of all records that have this key. `filters` narrow further.
   * @throws {ParkError} E_NOT_SEARCHABLE when the list cannot be read, or shows a field of the key on no row at all.
   */
  async find(resource: ResourceName, key: NaturalKey, filters: JsonObject, signal: AbortSignal): Promise<ServiceId[]> {
    const query = { fields: Object.keys(key), filters: { ...narrowing(resource, key), ...filters } };
    const hits: ServiceId[] = [];
    const hidden = new Set(query.fields.filter((name) => customFieldOf(name) === undefined));
    let rowCount = 0;
    try {
      for await (const rows of this.#lists.pages(resource, query, signal))
        for (const row of rows) {
          rowCount++;
          for (const name of hidden) if (row[name] !== undefined) hidden.delete(name);
          if (matches(row, key)) hits.push(idOf(row["id"]) ?? 0);
        }
    } catch (thrown) {
      if (thrown instanceof ServiceRefusal) throw notSearchable(resource, key, "its list cannot be read", thrown);
      throw thrown;
    }
    if (rowCount > 0 && hidden.size > 0) throw notSearchable(resource, key, `its list shows no ${[...hidden].join()}`);
    return hits;
  }

  /** The first record of the list with all these fields filled, if its first page has one. */
  async sample(resource: ResourceName, fields: readonly string[], signal: AbortSignal): Promise<Sample | undefined> {
    for await (const rows of this.#lists.pages(resource, { fields }, signal)) {
      const row = rows.find((candidate) => fields.every((name) => keyText(candidate[name])));
      if (row === undefined) return undefined;
      const key = fields.map((name): [string, Json] => [name, linkless(row[name])]);
      return { id: idOf(row["id"]) ?? 0, key: Object.fromEntries(key) };
    }
    return undefined;
  }
}

export function matches(record: JsonObject, key: NaturalKey): boolean {
  return Object.entries(key).every(([name, value]) => sameKeyPart(value, record[name]));
}

export function notSearchable(resource: ResourceName, key: NaturalKey, why: string, cause?: unknown): ParkError {
  const fields = Object.keys(key);
  return new ParkError("E_NOT_SEARCHABLE", `no ${resource} can be looked up by ${fields.join(" and ")}: ${why}`, {
    cause,
    details: { resource, fields },
  });
}

function narrowing(resource: ResourceName, key: NaturalKey): JsonObject {
  const { filters, parent } = resourceFacts(resource);
  const named = { ...filters, ...(parent === undefined ? {} : { [parent.field]: parent.field }) };
  const fitting = Object.entries(named).flatMap(([field, name]) => {
    const value = key[field];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(fitting);
}

function linkless(value: Json | undefined): Json {
  return (isJsonObject(value) ? idOf(value) : value) ?? null;
}
