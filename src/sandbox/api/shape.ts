import { isJsonObject, type Json, type JsonObject } from "#model";
import type { Field, Resource } from "../catalogue/resource.ts";
import { figureOf, figuresOf } from "./figures.ts";
import type { StoredRecord } from "../records/version.ts";
import type { Tenant } from "./tenant.ts";

/** By default, a list shows fewer fields than a read of one record. */
export type View = "list" | "one";

interface Member {
  readonly wire: string;
  /** Undefined leaves the member out. */
  readonly read: (record: StoredRecord) => Json | undefined;
}

/** What an answer shows of a record: built once per `fields` text, used for every row. */
export interface Plan {
  readonly members: readonly Member[];
  /** For an open resource, members shown in addition to `members`: all except these. */
  readonly othersBut: ReadonlySet<string> | undefined;
}

const PLANS_KEPT = 1_000;

/** Builds what `fields` requests from stored records. */
export class Shaper {
  readonly #tenant: Tenant;
  readonly #plans = new Map<string, Plan>();

  constructor(tenant: Tenant) {
    this.#tenant = tenant;
  }

  plan(resource: Resource, view: View, fields: string | null): Plan {
    const name = `${resource.name} ${view} ${fields ?? ""}`;
    const known = this.#plans.get(name);
    if (known !== undefined) return known;
    if (this.#plans.size >= PLANS_KEPT) this.#plans.clear();
    const plan = this.#compile(resource, view, parseFields(fields));
    this.#plans.set(name, plan);
    return plan;
  }

  shape(record: StoredRecord, plan: Plan): JsonObject {
    const shown: JsonObject = {};
    for (const { wire, read } of plan.members) {
      const value = read(record);
      if (value !== undefined) shown[wire] = value;
    }
    if (plan.othersBut !== undefined)
      for (const name of Object.keys(record))
        if (!plan.othersBut.has(name)) shown[this.#tenant.catalogue.brand.wire(name)] = record[name]!;
    return shown;
  }

  #compile(resource: Resource, view: View, grammar: FieldsGrammar): Plan {
    const { brand } = this.#tenant.catalogue;
    const without = new Set([...grammar.without].map(brand.neutral));
    const named = [...grammar.names].map(brand.neutral);
    const names = new Set(grammar.all || grammar.onlyExcludes ? this.#defaults(resource, view, grammar.all) : named);
    for (const name of named) names.add(name);
    for (const link of grammar.expanded.keys()) names.add(brand.neutral(link));
    const members: Member[] = [];
    for (const name of names) {
      if (without.has(name)) continue;
      const member = this.#member(resource, name, grammar.expanded.get(brand.wire(name)));
      if (member !== undefined) members.push(member);
    }
    const others = resource.open && (grammar.all || (grammar.onlyExcludes && view === "one"));
    return { members, othersBut: others ? new Set([...resource.fields.keys(), ...names, ...without]) : undefined };
  }

  #defaults(resource: Resource, view: View, all: boolean): readonly string[] {
    if (all) return [...resource.fields.keys()];
    if (view === "list") return resource.list;
    return [...resource.fields.keys()].filter((name) => resource.hidden?.includes(name) !== true);
  }

  #member(resource: Resource, name: string, expanded: readonly string[] | undefined): Member | undefined {
    const field = resource.fields.get(name);
    const wire = field?.wire ?? this.#tenant.catalogue.brand.wire(name);
    if (field === undefined) {
      if (!resource.open) return undefined;
      const target = this.#tenant.catalogue.resources.get(name);
      if (expanded === undefined || target === undefined) return { wire, read: (record) => record[name] };
      return { wire, read: (record) => this.#expand(record[name], [name], expanded) };
    }
    if (field.secret === true) return undefined;
    return { wire, read: this.#reader(resource, field, expanded) };
  }

  #reader(resource: Resource, field: Field, expanded: readonly string[] | undefined): Member["read"] {
    const { name, targets } = field;
    switch (field.kind) {
      case "restLink":
        return (record) => `${this.#tenant.url}${this.#tenant.recordPath(resource, record.id)}`;
      case "customFields":
        return (record) => customFieldValues(record[name], expanded);
      case "exists":
        return (record) => this.#pointing(field, record).length > 0;
      case "computed":
        if (!this.#tenant.switches.totals && name.startsWith("total")) return () => undefined;
        return (record) => figureOf(figuresOf(this.#tenant, resource, record), field);
      case "reverse":
      case "children":
        return (record) => {
          const ids = this.#pointing(field, record);
          return expanded === undefined || (field.kind === "children" && !this.#tenant.switches.expandChildren)
            ? ids
            : ids.map((id) => this.#expand(id, targets, expanded) ?? id);
        };
      case "links":
        return (record) => {
          const ids = record[name];
          if (!Array.isArray(ids)) return [];
          return expanded === undefined ? ids : ids.map((id) => this.#expand(id, targets, expanded) ?? id);
        };
      case "link": {
        const members = expanded ?? (this.#tenant.switches.links === "object" ? ["id", "name"] : undefined);
        return members === undefined
          ? (record) => record[name] ?? null
          : (record) => this.#expand(record[name], targets, members);
      }
      case "text":
      case "integer":
      case "number":
      case "boolean":
      case "instant":
      case "object":
      case "integers":
        return (record) => record[name] ?? null;
    }
  }

  #pointing(field: Field, record: StoredRecord): number[] {
    const [target] = field.targets;
    if (target === undefined || field.through === undefined) return [];
    return this.#tenant.database
      .table(target)
      .find(field.through, record.id)
      .map((row) => row.id);
  }

  /** A linked object always has its `id`. A link to a deleted record reads as null. */
  #expand(id: Json | undefined, targets: readonly string[], members: readonly string[]): Json {
    if (typeof id !== "number") return null;
    const target = this.#tenant.target(targets, id);
    if (target === undefined) return null;
    return { id, ...this.shape(target.record, this.plan(target.resource, "one", members.join(","))) };
  }
}

/** Without dotted names only the ids; with them, the requested members. A record without values has no such member. */
function customFieldValues(stored: Json | undefined, expanded: readonly string[] | undefined): Json | undefined {
  if (!Array.isArray(stored) || stored.length === 0) return undefined;
  const values = stored.filter(isJsonObject);
  if (expanded === undefined) return values.map((value) => value["id"] ?? null);
  const members = expanded.includes("*") ? ["id", "value"] : expanded;
  return values.map((value) =>
    Object.fromEntries(members.filter((name) => name in value).map((name) => [name, value[name]!])),
  );
}

/** The meaning of a `fields` text, in the names of the wire. */
interface FieldsGrammar {
  readonly all: boolean;
  /** Contains neither `*` nor a name: the defaults apply, without the excluded fields. */
  readonly onlyExcludes: boolean;
  readonly names: ReadonlySet<string>;
  readonly without: ReadonlySet<string>;
  /** The members requested of each linked object. */
  readonly expanded: ReadonlyMap<string, readonly string[]>;
}

/** Parses `a,b`, `link.prop`, `*` and `-prop`. Empty means the defaults. */
function parseFields(fields: string | null): FieldsGrammar {
  const names = new Set<string>();
  const without = new Set<string>();
  const expanded = new Map<string, string[]>();
  let all = false;
  for (const part of (fields ?? "").split(",").map((part) => part.trim())) {
    if (part === "") continue;
    const dot = part.indexOf(".");
    if (part === "*") all = true;
    else if (part.startsWith("-")) without.add(part.slice(1));
    else if (dot > 0) {
      const link = part.slice(0, dot);
      expanded.set(link, [...(expanded.get(link) ?? []), part.slice(dot + 1)]);
    } else names.add(part);
  }
  return { all, onlyExcludes: !all && names.size === 0 && expanded.size === 0, names, without, expanded };
}
