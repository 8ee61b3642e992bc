import { jsonText } from "../../../../../src/sources/wire/stamps/values.ts";
import type { Json, JsonObject } from "#model";
import { PROPERTIES, type Kind } from "./properties.ts";

export interface Filter {
  /** Filters of one group are alternatives; all groups must accept a row. */
  readonly group: string;
  accepts(row: JsonObject): boolean;
}

type Test = (found: Json, wanted: string, kind: Kind) => boolean;

/** The operators of the documents; not all of them suit all kinds. */
const OPERATORS: Readonly<Record<string, Test>> = {
  eq: (found, wanted, kind) => found !== null && compare(found, wanted, kind) === 0,
  ne: (found, wanted, kind) => found === null || compare(found, wanted, kind) !== 0,
  lt: (found, wanted, kind) => found !== null && compare(found, wanted, kind) < 0,
  gt: (found, wanted, kind) => found !== null && compare(found, wanted, kind) > 0,
  le: (found, wanted, kind) => found !== null && compare(found, wanted, kind) <= 0,
  ge: (found, wanted, kind) => found !== null && compare(found, wanted, kind) >= 0,
  null: (found) => found === null,
  notnull: (found) => found !== null,
  like: (found, wanted) => found !== null && pattern(wanted, "").test(jsonText(found)),
  notlike: (found, wanted) => found === null || !pattern(wanted, "").test(jsonText(found)),
  ilike: (found, wanted) => found !== null && pattern(wanted, "i").test(jsonText(found)),
  notilike: (found, wanted) => found === null || !pattern(wanted, "i").test(jsonText(found)),
  in: (found, wanted) => found !== null && listOf(wanted).includes(jsonText(found)),
  notin: (found, wanted) => found === null || !listOf(wanted).includes(jsonText(found)),
};

/**
 * The filter that a query parameter is; none where it names an unknown property, one that cannot be filtered or an unknown operator:
 * weclapp ignores these without a word. A path such as `ticketStatus.name` leads to what `ticketStatusId` refers to.
 */
export function filterOf(
  entity: string,
  name: string,
  value: string,
  referenced: (name: string) => ReadonlyMap<string, JsonObject>,
): Filter[] {
  const [, group, path = "", operator = ""] = /^(?:(or\w*)-)?([\w.]+)-(\w+)$/.exec(name) ?? [];
  const test = Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator] : undefined;
  const [property = "", inner] = path.split(".");
  const owner = inner === undefined ? entity : property;
  const known = PROPERTIES[owner]?.get(inner ?? property);
  if (test === undefined || known?.filterable !== true) return [];
  const valueOf = (row: JsonObject): Json =>
    inner === undefined
      ? (row[property] ?? null)
      : (referenced(property).get(jsonText(row[`${property}Id`]))?.[inner] ?? null);
  const kind = (inner ?? property) === "id" ? "integer" : known.kind;
  return [{ group: group ?? name, accepts: (row) => test(valueOf(row), value, kind) }];
}

/** Ids are texts on the wire and numbers in the database. */
function compare(found: Json, wanted: string, kind: Kind): number {
  if (kind === "timestamp" || kind === "integer") return Number(found) - Number(wanted);
  const text = jsonText(found);
  return text === wanted ? 0 : text < wanted ? -1 : 1;
}

function pattern(like: string, flags: string): RegExp {
  const escaped = like.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${escaped.replaceAll("%", ".*").replaceAll("_", ".")}$`, `s${flags}`);
}

/** A JSON array with the values in the correct type. */
function listOf(json: string): string[] {
  const values: Json = JSON.parse(json);
  return Array.isArray(values) ? values.map(String) : [];
}
