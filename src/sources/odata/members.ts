import { isJsonObject, joinKey, ParkError, splitKey, type JsonObject, type Key, type Row } from "#model";
import { keyParts } from "../wire/stamps/values.ts";
import type { Members } from "../wire/members.ts";
import type { ODataRead } from "./schema.ts";

/** Where a record holds the entity around it. */
const PARENT = "parent";

/** The records that a list inside each entity holds. Their keys are the entity's key, followed by the member's own. */
export class ListedMembers implements Members {
  readonly #entity: string;
  readonly #list: string;
  readonly #key: readonly string[];

  constructor(entity: string, { in: list, key }: NonNullable<ODataRead["each"]>) {
    this.#entity = entity;
    this.#list = list;
    this.#key = key;
  }

  of(parent: Key, row: Row): readonly { readonly key: Key; readonly row: Row }[] {
    const { [this.#list]: list, ...rest } = row;
    if (list === null) return [];
    if (!Array.isArray(list) || !list.every(isJsonObject)) throw this.#odd(parent, "is no list of objects");
    const parts = splitKey(parent);
    const records = list.map((member) => ({
      key: joinKey([...parts, ...keyParts(member, this.#key)]),
      row: around(member, rest),
    }));
    if (new Set(records.map(({ key }) => key)).size < records.length)
      throw this.#odd(parent, `has members that share the key ${this.#key.join(", ")}`);
    return records;
  }

  parent(key: Key): Key | undefined {
    const parts = splitKey(key).slice(0, -this.#key.length);
    return parts.length === 0 ? undefined : joinKey(parts);
  }

  #odd(parent: Key, what: string): ParkError {
    return new ParkError("E_SOURCE_ROWS", `${this.#entity}: ${this.#list} of the entity ${parent} ${what}`);
  }
}

function around(member: JsonObject, parent: JsonObject): JsonObject {
  return { ...member, [PARENT]: parent };
}
