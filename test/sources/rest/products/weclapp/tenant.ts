import { jsonText } from "../../../../../src/sources/wire/stamps/values.ts";
import { gzipSync } from "node:zlib";
import { isJsonObject, type Json, type JsonObject } from "#model";
import type { Asked, Told } from "../../../../kit/http.ts";
import { filterOf, type Filter } from "./filters.ts";
import { PROPERTIES } from "./properties.ts";

/** Parameters of a list that are no filters. */
const WORDS = new Set(
  "page pageSize offset sort properties serializeNulls includeReferencedEntities additionalProperties".split(" "),
);
const MOST_ROWS = 1000;

/**
 * A weclapp tenant that answers as its documents and its own SDK say; `weclapp.test.ts` shows each behaviour with its source.
 * Records are written by {@link put}; what is written is what the API shows.
 */
export class WeclappTenant {
  /** The one token that is valid: a new one ends all older ones of its user. */
  token = "t0ken";
  /** Entities that the token's user has no privileges for. */
  readonly forbidden = new Set<string>();
  /** Records that a rule hides from the token's user. */
  readonly hidden = new Set<string>();
  refused = 0;
  readonly #entities = new Map<string, Map<string, JsonObject>>();
  readonly #now: () => number;
  #ids = 1000;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Writes a record as its users do, and returns its id. An empty text is null: weclapp has no empty texts. */
  put(entity: string, values: JsonObject, { stamp = this.#now() }: { stamp?: number } = {}): string {
    const id = typeof values["id"] === "string" ? values["id"] : String(++this.#ids);
    const before = this.table(entity).get(id);
    const filled = Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        name,
        typeof value === "string" && value.trim() === "" ? null : value,
      ]),
    );
    const version = String(before === undefined ? 0 : Number(before["version"]) + 1);
    const meta = { id, version, createdDate: before?.["createdDate"] ?? stamp, lastModifiedDate: stamp };
    this.table(entity).set(id, { ...before, ...filled, ...meta });
    return id;
  }

  /** The tenant's clock. */
  now(): number {
    return this.#now();
  }

  remove(entity: string, id: string): void {
    this.table(entity).delete(id);
  }

  table(entity: string): Map<string, JsonObject> {
    const known = this.#entities.get(entity) ?? new Map<string, JsonObject>();
    this.#entities.set(entity, known);
    return known;
  }

  answer(asked: Asked): Told {
    const told = this.#told(asked);
    const accepted = asked.headers["accept-encoding"];
    // Without the header the API enforces compression.
    const isPlain = accepted !== undefined && !accepted.includes("gzip");
    if (isPlain || told.body === undefined) return told;
    const headers = { "content-type": "application/json", "content-encoding": "gzip", ...told.headers };
    return { ...told, headers, body: gzipSync(JSON.stringify(told.body)) };
  }

  #told({ path, query, headers }: Asked): Told {
    const [, entity = "", place, id] = /^\/webapp\/api\/v2\/(\w*)(?:\/(count|id\/(\w+)))?$/.exec(path) ?? [];
    if (!this.#isMine(headers)) return this.#unauthorized();
    const properties = PROPERTIES[entity];
    if (properties === undefined) return problem(404, "not_found", "resource not found");
    if (this.forbidden.has(entity)) return problem(403, "forbidden", "insufficient privileges");
    const rows = [...this.table(entity).values()].filter((row) => !this.hidden.has(jsonText(row["id"])));
    if (id !== undefined) {
      const row = rows.find((one) => one["id"] === id);
      return row === undefined
        ? problem(404, "not_found", "entity not found")
        : { body: shown(entity, row, query.has("serializeNulls"), undefined) };
    }
    const filters = [...query].flatMap(([name, value]): Filter[] =>
      WORDS.has(name) ? [] : filterOf(entity, name, value, (reference) => this.#referenced(reference)),
    );
    const groups = Object.values(Object.groupBy(filters, ({ group }) => group));
    const found = rows.filter((row) => groups.every((group) => group!.some((filter) => filter.accepts(row))));
    if (place === "count") return { body: { result: found.length } };
    return this.#list(entity, found, query);
  }

  #list(entity: string, found: readonly JsonObject[], query: URLSearchParams): Told {
    const sort = (query.get("sort") ?? "").split(",").filter((name) => name !== "");
    const unsortable = sort.find((name) => !PROPERTIES[entity]!.get(name.replace(/^-/, ""))?.filterable);
    if (unsortable !== undefined) return invalid("sort", `unknown or unsupported property ${unsortable}`);
    const wanted = query.get("properties")?.split(",");
    const unknown = wanted?.find((path) => !PROPERTIES[entity]!.has(path.split(".", 1)[0]!));
    if (unknown !== undefined) return invalid("properties", `unknown property ${unknown}`);
    const size = Math.min(Number(query.get("pageSize") ?? 100), MOST_ROWS);
    const from = (Number(query.get("page") ?? 1) - 1) * size;
    const page = sorted(entity, found, sort).slice(from, from + size);
    const include = query.get("includeReferencedEntities")?.split(",") ?? [];
    return {
      body: {
        result: page.map((row) => shown(entity, row, query.has("serializeNulls"), wanted)),
        ...(include.length === 0 ? {} : { referencedEntities: this.#referencedBy(page, include) }),
      },
    };
  }

  /** The entities that the rows refer to by these paths, each once, by the name of their entity. */
  #referencedBy(rows: readonly JsonObject[], include: readonly string[]): JsonObject {
    const lists: Record<string, JsonObject[]> = {};
    for (const path of include) {
      const [name = "", inner] = path.split(".");
      const ids = rows.flatMap((row) => {
        const value = row[name];
        if (inner === undefined) return typeof value === "string" ? [value] : [];
        return Array.isArray(value) ? value.flatMap((item) => (isJsonObject(item) ? [jsonText(item[inner])] : [])) : [];
      });
      const entity = REFERENCES[path] ?? name.replace(/Id$/, "");
      const entities = [...new Set(ids)].flatMap((id): JsonObject[] => {
        const found = this.table(entity).get(id);
        return found === undefined ? [] : [found];
      });
      lists[entity] = [...(lists[entity] ?? []), ...entities.map((row) => shown(entity, row, false, undefined))];
    }
    return lists;
  }

  #referenced(reference: string): ReadonlyMap<string, JsonObject> {
    return this.table(REFERENCES[`${reference}Id`] ?? reference);
  }

  #isMine(headers: Asked["headers"]): boolean {
    const basic = `Basic ${Buffer.from(`*:${this.token}`).toString("base64")}`;
    return headers["authenticationtoken"] === this.token || headers.authorization === basic;
  }

  #unauthorized(): Told {
    this.refused += 1;
    return problem(401, "unauthorized", "missing permission");
  }
}

/** What properties refer to, where their name does not say it (`x-weclapp.entity` of the OpenAPI description). */
const REFERENCES: Readonly<Record<string, string>> = {
  "contacts.id": "party",
  partyId: "party",
  customerId: "party",
  contactId: "party",
  parentPartyId: "party",
};

/** Error bodies follow RFC 7807 and keep the older `error` beside it. */
export function problem(status: number, type: string, title: string, more: JsonObject = {}): Told {
  return {
    status,
    body: { type: `/webapp/view/api/errors.html#!/errors/${type}`, title, status, error: title, ...more },
  };
}

/** What a tenant above its limit of concurrent requests answers: without `Retry-After`. */
export const BUSY: Told = {
  ...problem(429, "too_many_requests", "too many concurrent requests"),
  headers: { "x-weclapp-wait-ms": "30000", "x-weclapp-wait-reason": "concurrency" },
};

function invalid(parameter: string, detail: string): Told {
  const validationErrors = [
    { type: "/webapp/view/api/errors.html#!/validation/enum", title: detail, instance: parameter },
  ];
  return problem(400, "validation", "validation failed", { detail, validationErrors });
}

function shown(entity: string, row: JsonObject, withNulls: boolean, wanted: readonly string[] | undefined): JsonObject {
  const names = wanted?.map((path) => path.split(".", 1)[0]!) ?? [...(PROPERTIES[entity]?.keys() ?? Object.keys(row))];
  return Object.fromEntries(
    [...new Set(names)].flatMap((name): [string, Json][] => {
      const value = row[name] ?? null;
      return value === null && !withNulls ? [] : [[name, value]];
    }),
  );
}

/** Rows of equal rank come in no particular order: here in the reverse one of their ids. */
function sorted(entity: string, rows: readonly JsonObject[], sort: readonly string[]): JsonObject[] {
  return rows.toSorted((a, b) => {
    for (const name of sort) {
      const property = name.replace(/^-/, "");
      const isNumber = property === "id" || PROPERTIES[entity]!.get(property)!.kind === "timestamp";
      const [left, right] = [a[property] ?? null, b[property] ?? null];
      const order = isNumber ? Number(left) - Number(right) : jsonText(left).localeCompare(jsonText(right));
      if (order !== 0) return name.startsWith("-") ? -order : order;
    }
    return Number(b["id"]) - Number(a["id"]);
  });
}
