import type { Json, JsonObject } from "#model";
import { parseFilter, type Grammar } from "./filter.ts";
import { compareValues } from "./literal.ts";
import { QueryFault } from "./query-fault.ts";
import { jsonText } from "../../../../src/sources/wire/stamps/values.ts";

/** An entity set: its name, its type, what it holds. */
export interface EntitySet {
  readonly name: string;
  /** Name of the entity type, without the namespace. */
  readonly type: string;
  readonly keys: readonly string[];
  /** Types of the properties, without `Edm.`; others are those of the namespace. */
  readonly types: Readonly<Record<string, string>>;
  /** Properties that hold lists or objects, and the types of their members. They can be selected, not expanded. */
  readonly complex?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** What `$expand` shows of a row. */
  readonly navigation?: Readonly<Record<string, (row: JsonObject) => Json>>;
  /** The entities that the user may see, with instants, dates and times as text; the same array as long as nothing changed. */
  rows(): readonly JsonObject[];
}

/** The query options of a request. */
export interface Query {
  readonly filter: string | undefined;
  readonly orderby: readonly { readonly field: string; readonly down: boolean }[];
  readonly select: readonly string[] | undefined;
  readonly expand: readonly Expanded[];
  readonly skip: number;
  readonly top: number | undefined;
}

interface Expanded {
  readonly name: string;
  readonly nested: readonly Expanded[];
}

/** @throws {QueryFault} for options that the set does not have, or that `options` does not name. */
export function queryOf(set: EntitySet, asked: URLSearchParams, options: readonly string[]): Query {
  for (const name of asked.keys())
    if (name.startsWith("$") && !options.includes(name)) throw new QueryFault("option", name);
  const list = (name: string) =>
    (asked.get(name) ?? "")
      .split(",")
      .map((one) => one.trim())
      .filter(Boolean);
  const known = (name: string) => {
    if (!(name in set.types)) throw new QueryFault("property", name);
    return name;
  };
  const expand = expandedOf(asked.get("$expand") ?? "");
  for (const { name } of expand) if (set.navigation?.[name] === undefined) throw new QueryFault("navigation", name);
  const select = list("$select");
  for (const name of select) if (set.complex?.[name] === undefined && set.navigation?.[name] === undefined) known(name);
  return {
    filter: asked.get("$filter") ?? undefined,
    orderby: list("$orderby").map((one) => {
      const [field = "", direction = "asc"] = one.split(/\s+/);
      if (direction !== "asc" && direction !== "desc") throw new QueryFault("syntax", direction);
      return { field: known(field), down: direction === "desc" };
    }),
    select: select.length === 0 ? undefined : select,
    expand,
    skip: countOf(asked.get("$skip")) ?? 0,
    top: countOf(asked.get("$top")),
  };
}

/** `a,b($expand=c)` in v4, `a,b/c` in v2. What stands in the brackets beside `$expand` is left to the products. */
function expandedOf(text: string): Expanded[] {
  const parts = text.match(/[^,()]+(\([^()]*(\([^()]*\))?[^()]*\))?/g) ?? [];
  return parts.map((part) => {
    const [, path = part, options = ""] = /^\s*([^()]+)(?:\((.*)\))?\s*$/.exec(part) ?? [];
    const [name = "", ...below] = path.trim().split("/");
    const nested = below.length > 0 ? below.join("/") : (/\$expand=(.*)/.exec(options)?.[1] ?? "");
    return { name, nested: nested === "" ? [] : expandedOf(nested) };
  });
}

function countOf(text: string | null): number | undefined {
  if (text === null) return undefined;
  if (!/^\d+$/.test(text)) throw new QueryFault("option", text);
  return Number(text);
}

const lastFound = new WeakMap<readonly JsonObject[], { question: string; found: readonly JsonObject[] }>();

/** The entities of all pages, in order. Pages of one question are cut from one answer: the suite's big table has many. */
export function foundRows(set: EntitySet, { filter, orderby }: Query, grammar: Grammar): readonly JsonObject[] {
  const rows = set.rows();
  const question = JSON.stringify([filter, orderby]);
  const last = lastFound.get(rows);
  if (last?.question === question) return last.found;
  const order = [...orderby, ...set.keys.map((field) => ({ field, down: false }))];
  const found = (filter === undefined ? rows : rows.filter(parseFilter(filter, grammar))).toSorted((a, b) => {
    for (const { field, down } of order) {
      const [left, right] = [a[field] ?? "", b[field] ?? ""];
      const difference = compared(set.types[field] ?? "String", left, right, grammar);
      if (difference !== 0) return down ? -difference : difference;
    }
    return 0;
  });
  lastFound.set(rows, { question, found });
  return found;
}

function compared(type: string, a: Json, b: Json, { compareGuids }: Grammar): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return compareValues(type, jsonText(a), jsonText(b), compareGuids);
}

/** What an answer shows of an entity: the selected properties, and the links that were expanded. */
export function shown(set: EntitySet, row: JsonObject, { select, expand }: Query): JsonObject {
  const names = select ?? [...Object.keys(set.types), ...Object.keys(set.complex ?? {})];
  const own = names.filter((name) => name in row).map((name) => [name, row[name]!] as const);
  const linked = expand.map(({ name, nested }) => [name, pruned(set.navigation![name]!(row), nested)] as const);
  return Object.fromEntries([...own, ...linked]);
}

/** Links within links are shown only where they were expanded. */
function pruned(value: Json, expand: readonly Expanded[]): Json {
  if (Array.isArray(value)) return value.map((member) => pruned(member, expand));
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => !name.startsWith("→"));
  const linked = expand.map(({ name, nested }) => {
    const inner = value[`→${name}`];
    if (inner === undefined) throw new QueryFault("navigation", name);
    return [name, pruned(inner, nested)] as const;
  });
  return Object.fromEntries([...kept, ...linked]);
}
