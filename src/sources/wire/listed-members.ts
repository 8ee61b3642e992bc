import { isJsonObject, joinKey, ParkError, splitKey, type JsonObject, type Key, type Row } from "#model";
import { keyParts } from "./stamps/values.ts";
import type { Members } from "./members.ts";

/** The word `each` of a stream: the property that holds the list, and what is unique in a member. */
export interface Each {
  readonly in: string;
  readonly key: readonly string[];
}

/** Where a record holds the entity around it. */
const PARENT = "parent";

/** The records that a list inside each entity holds. Their keys are the entity's key, followed by the member's own. */
export class ListedMembers implements Members {
  readonly #entity: string;
  readonly #list: string;
  readonly #key: readonly string[];

  constructor(entity: string, { in: list, key }: Each) {
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
