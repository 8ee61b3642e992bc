import type { Json } from "#model";
import type { FilterSpec } from "../catalogue/filter.ts";
import type { Resource } from "../catalogue/resource.ts";
import type { Row } from "../records/table.ts";
import { Refusal } from "./answer.ts";
import type { FullText } from "./full-text.ts";
import { isInstant } from "./instant.ts";
import type { Caller, Tenant } from "./tenant.ts";

/** One filter of one request, ready to be asked of each row. */
export interface Condition {
  readonly holds: (row: Row) => boolean;
  /** Exact values of one field of the record itself, where an index can narrow the rows. */
  readonly exact?: { readonly field: string; readonly values: readonly (string | number)[] };
}

/** The filters of a query that this resource knows. Names it does not know, and empty values, filter nothing. */
export class Conditions {
  readonly #tenant: Tenant;
  readonly #fullText: FullText;

  constructor(tenant: Tenant, fullText: FullText) {
    this.#tenant = tenant;
    this.#fullText = fullText;
  }

  read(resource: Resource, query: URLSearchParams, caller: Caller): Condition[] {
    const conditions: Condition[] = [];
    const { neutral } = this.#tenant.catalogue.brand;
    for (const wire of new Set(query.keys())) {
      const name = neutral(wire);
      const spec = resource.filters?.[name];
      const value = query.get(wire) ?? "";
      if (spec === undefined || value === "" || this.#ignored(resource, name)) continue;
      conditions.push(this.#condition(resource, name, spec, value, caller));
    }
    return conditions;
  }

  #ignored(resource: Resource, filter: string): boolean {
    const { ignoredFilters } = this.#tenant.switches;
    if (ignoredFilters === "all") return true;
    return ignoredFilters.includes(filter) || ignoredFilters.includes(`${resource.name}.${filter}`);
  }

  #condition(resource: Resource, name: string, spec: FilterSpec, value: string, caller: Caller): Condition {
    switch (spec.kind) {
      case "ids": {
        const values = integers(name, value);
        const wanted = new Set(values);
        return { holds: (row) => wanted.has(row.id), exact: { field: "id", values } };
      }
      case "search":
        return { holds: this.#tenant.switches.search ? this.#fullText.matcher(resource, value, caller) : () => true };
      case "changedSince":
        return since("modified", moment("changedSince", value), this.#tenant.switches.changedSinceInclusive);
      case "since":
        return since(spec.field, moment(name, value), true);
      case "notClosed":
        return { holds: (row) => this.#read(resource, row, "ticketStatus.behaviour")[0] !== "CLOSED" };
      case "words": {
        const asked = value.split(",").map((word) => spec.words[word.trim()]);
        const known = asked.filter((word) => word !== undefined);
        return { holds: (row) => known.some((word) => word(row.version.record)) !== spec.negated };
      }
      case "equals":
        return this.#compare(resource, spec.field, [this.#value(resource, name, spec.field, value)], "some");
      case "oneOf":
      case "noneOf":
      case "allOf": {
        const values = value.split(",").map((part) => this.#value(resource, name, spec.field, part.trim()));
        const how = { oneOf: "some", noneOf: "none", allOf: "every" } as const;
        return this.#compare(resource, spec.field, values, how[spec.kind]);
      }
      case "namesOf": {
        const names = value.split(",");
        return {
          holds: (row) =>
            this.#read(resource, row, `${spec.field}.name`).some(
              (name) => typeof name === "string" && names.includes(name),
            ),
        };
      }
    }
  }

  #compare(resource: Resource, field: string, wanted: Json[], how: "some" | "none" | "every"): Condition {
    const holds = (row: Row): boolean => {
      const found = this.#read(resource, row, field);
      if (how === "every") return wanted.every((value) => found.includes(value));
      return found.some((value) => wanted.includes(value)) === (how === "some");
    };
    const values = wanted.filter((value) => typeof value === "string" || typeof value === "number");
    const kind = resource.fields.get(field)?.kind;
    const direct = how === "some" && values.length === wanted.length && (kind === "link" || kind === "text");
    return direct ? { holds, exact: { field, values } } : { holds };
  }

  /** The values at a dotted path of links; an array gives several. */
  #read(resource: Resource, row: Row, path: string): Json[] {
    const [name = "", ...rest] = path.split(".");
    const value = row.version.record?.[name] ?? null;
    const values = Array.isArray(value) ? value : [value];
    if (rest.length === 0) return values;
    return values.flatMap((id) => {
      if (typeof id !== "number") return [];
      const targets = resource.fields.get(name)?.targets ?? [];
      for (const target of targets) {
        const linked = this.#tenant.database.table(target).get(id);
        if (linked !== undefined) return this.#read(this.#tenant.resource(target), linked, rest.join("."));
      }
      return [];
    });
  }

  #value(resource: Resource, name: string, path: string, value: string): Json {
    const [first = "", ...rest] = path.split(".");
    const field = resource.fields.get(first);
    if (field !== undefined && rest.length > 0) {
      const [target] = field.targets;
      if (target !== undefined) return this.#value(this.#tenant.resource(target), name, rest.join("."), value);
    }
    if (field?.kind === "text") return value;
    if (field?.kind === "boolean") {
      if (value === "1" || value === "true") return true;
      if (value === "0" || value === "false") return false;
      throw new Refusal(400, `${name} must be a boolean`);
    }
    return integers(name, value)[0]!;
  }
}

function since(field: string, from: string, inclusive: boolean): Condition {
  return {
    holds: ({ version: { record } }) => {
      const at = record?.[field];
      return typeof at === "string" && (inclusive ? at >= from : at > from);
    },
  };
}

function moment(name: string, value: string): string {
  if (!isInstant(value)) throw new Refusal(400, `${name} has invalid date format`);
  return value;
}

function integers(name: string, value: string): number[] {
  return value.split(",").map((part) => {
    if (!/^-?\d{1,15}$/.test(part.trim())) throw new Refusal(400, `${name} must be an integer`);
    return Number(part);
  });
}
