import { isJsonObject, type Json, type JsonObject } from "#model";
import type { WebRequest } from "../wire.ts";
import { isStray, jsonText, valueAt } from "../wire.ts";

/** Problems that weclapp calls passing: the request ran into a time limit, or its database into a conflict. */
const PASSING = /\/(request_timeout|persistence)"/;

/**
 * Whether an answer means "try again" although its status says otherwise.
 * Sources: weclapp API error reference, "persistence" (409); headers X-Weclapp-Request-Timeout-Ms (400).
 */
export const isTransientAnswer: NonNullable<WebRequest["transient"]> = ({ status, excerpt }) =>
  (status === 400 || status === 409) && PASSING.test(excerpt);

/**
 * Puts the entities that an answer has beside its rows into the rows: that of `ticketStatusId` as `ticketStatus`, null where there is none,
 * and those of `contacts.id` into the items of `contacts`.
 */
export function withReferenced(rows: JsonObject[], include: readonly string[], answer: Json): JsonObject[] {
  if (include.length === 0) return rows;
  const byId = entitiesOf(valueAt(answer, "referencedEntities"));
  return rows.map((row) => (isStray(row) ? row : include.reduce((whole, path) => joined(whole, path, byId), row)));
}

/** The referenced entities by the names of their lists, each by its id. */
type Entities = ReadonlyMap<string, ReadonlyMap<string, JsonObject>>;

function entitiesOf(lists: Json | undefined): Entities {
  if (!isJsonObject(lists)) return new Map();
  return new Map(
    Object.entries(lists).map(([name, list]) => {
      const entities = Array.isArray(list) ? list.filter(isJsonObject) : [];
      return [name, new Map(entities.map((entity) => [jsonText(entity["id"]), entity]))];
    }),
  );
}

function joined(row: JsonObject, path: string, lists: Entities): JsonObject {
  const list = /^(\w+)\.id$/.exec(path)?.[1];
  if (list !== undefined) {
    const items = row[list];
    if (!Array.isArray(items)) return row;
    return {
      ...row,
      [list]: items.map((item) => (isJsonObject(item) ? { ...item, ...find(list, item["id"], lists) } : item)),
    };
  }
  const name = path.replace(/Id$/, "");
  return name === path ? row : { ...row, [name]: find(name, row[path], lists) ?? null };
}

/** Most lists are named after the property, such as ticketStatus; others after what it refers to, such as party or user. */
function find(name: string, id: Json | undefined, lists: Entities): JsonObject | undefined {
  if (id === undefined || id === null) return undefined;
  const own = lists.get(name);
  const others = [...lists.values()].filter((list) => list !== own);
  for (const list of own === undefined ? others : [own, ...others])
    if (list.has(jsonText(id))) return list.get(jsonText(id));
  return undefined;
}
