import { isJsonObject, ParkError, type Json, type JsonObject, type Row } from "#model";
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
 * Puts the entities that an answer has beside its rows into the rows: that of `ticketStatusId` as `ticketStatus`, null where the id is
 * null or the answer does not have it ({@link assertReferenced}), and those of `contacts.id` into the items of `contacts`.
 */
export function withReferenced(rows: JsonObject[], include: readonly string[], answer: Json): JsonObject[] {
  if (include.length === 0) return rows;
  const byId = entitiesOf(valueAt(answer, "referencedEntities"));
  return rows.map((row) => (isStray(row) ? row : include.reduce((whole, path) => joined(whole, path, byId), row)));
}

/**
 * Returns the row.
 * @throws {ParkError} E_ROW_UNREADABLE when it refers to an entity that its answer does not have. Null would mean that there is none.
 */
export function assertReferenced(row: JsonObject, include: readonly string[]): Row {
  for (const path of include) {
    const name = ownName(path);
    const id = row[path];
    if (name === undefined || isEmpty(id) || row[name] !== null) continue;
    throw new ParkError(
      "E_ROW_UNREADABLE",
      `${path} is ${jsonText(id)}, but the answer has no ${name} with this id. Let the user of the token read it, or take ${path} out of \`include\``,
    );
  }
  return row;
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
  const name = ownName(path);
  return name === undefined ? row : { ...row, [name]: find(name, row[path], lists) ?? null };
}

/** The property that gets the entity of a path such as `ticketStatusId`; undefined for other paths. */
function ownName(path: string): string | undefined {
  return /^(\w+)Id$/.exec(path)?.[1];
}

function isEmpty(id: Json | undefined): boolean {
  return id === undefined || id === null || id === "";
}

/** Most lists are named after the property, such as ticketStatus; others after what it refers to, such as party or user. */
function find(name: string, id: Json | undefined, lists: Entities): JsonObject | undefined {
  if (id === undefined || isEmpty(id)) return undefined;
  const own = lists.get(name);
  const others = [...lists.values()].filter((list) => list !== own);
  for (const list of own === undefined ? others : [own, ...others])
    if (list.has(jsonText(id))) return list.get(jsonText(id));
  return undefined;
}
