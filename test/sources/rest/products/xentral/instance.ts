import { isJsonObject, type Json, type JsonObject } from "#model";
import { jsonText, valueAt } from "../../../../../src/sources/wire/stamps/values.ts";
import type { Asked, Told } from "../../../../kit/http.ts";

const TEXT = "equals notEquals in notIn contains notContains startsWith endsWith";
const ID = "equals notEquals in notIn";
const DATE = "equals notEquals lessThan lessThanOrEquals greaterThan greaterThanOrEquals isNull isNotNull";

interface Resource {
  /** The operators of each key that the list can be filtered by. */
  readonly filters: Readonly<Record<string, string>>;
  readonly sort: string;
  readonly include: string;
  readonly mostPerPage: number;
  /** The path of a key in a record, where it is not the key itself. */
  readonly paths?: Readonly<Record<string, string>>;
  /** The scope that a token needs. */
  readonly scope: string;
}

/**
 * What the lists take, from the parameters of GET /api/v3/customers and /api/v3/salesOrders. Source: Xentral Business Documents API v3,
 * openapi/xentral-documents-api.openapi-3.1.0.json in https://github.com/xentral/api-spec-public.
 */
export const RESOURCES: Readonly<Record<string, Resource>> = {
  customers: {
    filters: {
      ...keys("name number email street zipCode city state country tags", TEXT),
      ...keys("id salesManager.id accountManager.id groups tags.id", ID),
      ...keys("createdAt updatedAt", DATE),
    },
    sort: "id name number city zipCode country street state createdAt updatedAt",
    include:
      "communication.additionalContactInformation financials.paymentMethod fulfillment.shippingMethod customFields customerRoles groups deliveryAddresses contactPersons tags",
    mostPerPage: 100,
    paths: Object.fromEntries(
      "name email street zipCode city state country".split(" ").map((key) => [key, `primaryAddress.${key}`]),
    ),
    scope: "customer:read",
  },
  salesOrders: {
    filters: {
      ...keys("documentNumber customerNumber customerOrderNumber externalOrderNumber internalDesignation", TEXT),
      ...keys("id address.id project.id status language tags.id", ID),
      ...keys("documentDate createdAt updatedAt", DATE),
    },
    sort: "id documentNumber documentDate customerNumber documentAddress.country project.id createdAt updatedAt",
    include: "lineItems project address lineItems.product tags activity customFields trafficLights relatedDocuments",
    mostPerPage: 1000,
    scope: "salesOrder:read",
  },
};

/** Members that a list shows only where `include` names them. */
const NESTED = ["contactPersons", "deliveryAddresses", "lineItems", "customFields", "groups"];

function keys(names: string, operators: string): Record<string, string> {
  return Object.fromEntries(names.split(" ").map((name) => [name, operators]));
}

/**
 * A Xentral instance with API v3 that answers as its OpenAPI description and developer portal say; `xentral.test.ts` shows each behaviour
 * with its source. Where they are silent it takes the stricter way: what is not listed is refused.
 */
export class XentralInstance {
  token = "pat";
  scopes = ["customer:read", "salesOrder:read"];
  /** Records that the token's user may not see. */
  readonly hidden = new Set<string>();
  refused = 0;
  /** Requests that are left in this minute; undefined: the limit plays no part. */
  left: number | undefined;
  readonly #now: () => number;
  readonly #tables = new Map<string, Map<string, JsonObject>>();
  #ids = 0;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  table(resource: string): Map<string, JsonObject> {
    const known = this.#tables.get(resource) ?? new Map<string, JsonObject>();
    this.#tables.set(resource, known);
    return known;
  }

  /** Writes a record as its users do, and returns its id. Without `touched`, as a change of its contact persons does: no stamp moves. */
  put(resource: string, values: JsonObject, { stamp = this.#now(), touched = true } = {}): string {
    const id = typeof values["id"] === "string" ? values["id"] : String(++this.#ids);
    const before = this.table(resource).get(id);
    const at = `${new Date(stamp).toISOString().slice(0, 19)}Z`;
    const updatedAt = touched ? at : (before?.["updatedAt"] ?? at);
    this.table(resource).set(id, { ...before, ...values, id, createdAt: before?.["createdAt"] ?? at, updatedAt });
    return id;
  }

  remove(resource: string, id: string): void {
    this.table(resource).delete(id);
  }

  answer(asked: Asked): Told {
    const told = this.#told(asked);
    const limits = { "x-ratelimit-limit": "100", "x-ratelimit-remaining": String(this.left ?? 99) };
    return { ...told, headers: { ...limits, ...told.headers } };
  }

  #told({ path, query, headers }: Asked): Told {
    if (headers.authorization !== `Bearer ${this.token}`) {
      this.refused += 1;
      return { status: 401, body: { message: "Unauthenticated." } };
    }
    if (this.left === 0) return this.#busy();
    if (this.left !== undefined) this.left -= 1;
    const [, name = "", id] = /^\/api\/v3\/(\w+)(?:\/(\w+))?$/.exec(path) ?? [];
    const resource = RESOURCES[name];
    if (resource === undefined) return { status: 404, body: { message: "Not Found" } };
    if (!this.scopes.includes(resource.scope)) return { status: 403, body: { message: "Forbidden" } };
    const records = [...this.table(name).values()].filter((record) => !this.hidden.has(jsonText(record["id"])));
    if (id === undefined) return list(resource, records, query, headers);
    const record = records.find((one) => one["id"] === id);
    return record === undefined
      ? { status: 404, body: { message: "Not Found" } }
      : { body: { data: shown(record, []) } };
  }

  #busy(): Told {
    const reset = String(Math.ceil(this.#now() / 1000) + 1);
    return {
      status: 429,
      headers: { "retry-after": "1", "x-ratelimit-reset": reset },
      body: { message: "Too Many Requests" },
    };
  }
}

function list(
  resource: Resource,
  records: readonly JsonObject[],
  query: URLSearchParams,
  headers: Asked["headers"],
): Told {
  const criteria = criteriaOf(query);
  const wrong = criteria.find(({ key, op }) => !(resource.filters[key] ?? "").split(" ").includes(op));
  if (wrong !== undefined) return refused("filter", `the key ${wrong.key} cannot be filtered by ${wrong.op}`);
  const include = (query.get("include") ?? "").split(",").filter((one) => one !== "");
  const other = include.find((one) => !resource.include.split(" ").includes(one));
  if (other !== undefined) return refused("include", `${other} cannot be included`);
  const sort = (query.get("sort") ?? "-createdAt").split(",");
  const unsortable = sort.find((one) => !resource.sort.split(" ").includes(one.replace(/^-/, "")));
  if (unsortable !== undefined) return refused("sort", `the list cannot be sorted by ${unsortable}`);
  const perPage = Number(query.get("perPage") ?? 15);
  if (perPage > resource.mostPerPage)
    return refused("perPage", `perPage must not be greater than ${resource.mostPerPage}`);
  const page = Number(query.get("page") ?? 1);
  const found = sorted(
    records.filter((record) =>
      criteria.every((criterion) =>
        accepts(valueAt(record, resource.paths?.[criterion.key] ?? criterion.key) ?? null, criterion),
      ),
    ),
    sort,
  );
  const data = found.slice((page - 1) * perPage, page * perPage).map((record) => shown(record, include));
  const meta = { currentPage: page, perPage, ...(headers["x-pagination"] === "table" ? { total: found.length } : {}) };
  return { body: { data, links: { next: page * perPage < found.length ? `?page=${page + 1}` : null }, meta } };
}

interface Criterion {
  readonly key: string;
  readonly op: string;
  readonly value: string;
}

function criteriaOf(query: URLSearchParams): Criterion[] {
  const found = new Map<string, Record<string, string>>();
  for (const [name, value] of query) {
    const [, index, part] = /^filter\[(\d+)\]\[(key|op|value)\]$/.exec(name) ?? [];
    if (index !== undefined && part !== undefined) found.set(index, { ...found.get(index), [part]: value });
  }
  return [...found.values()].map(({ key = "", op = "", value = "" }) => ({ key, op, value }));
}

function accepts(found: Json, { op, value }: Criterion): boolean {
  const order = compare(found, value);
  switch (op) {
    case "equals":
      return order === 0;
    case "notEquals":
      return order !== 0;
    case "in":
      return value.split(",").includes(jsonText(found));
    case "notIn":
      return !value.split(",").includes(jsonText(found));
    case "lessThan":
      return order < 0;
    case "lessThanOrEquals":
      return order <= 0;
    case "greaterThan":
      return order > 0;
    case "greaterThanOrEquals":
      return order >= 0;
    case "contains":
      return jsonText(found).includes(value);
    case "notContains":
      return !jsonText(found).includes(value);
    case "startsWith":
      return jsonText(found).startsWith(value);
    case "endsWith":
      return jsonText(found).endsWith(value);
    default:
      return (found === null) === (op === "isNull");
  }
}

/** Instants are compared as such, everything else as text; ids are numbers. */
function compare(found: Json, wanted: string): number {
  const [left, right] = [jsonText(found), wanted].map((text) =>
    /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : text,
  );
  if (typeof left === "number" && typeof right === "number") return left - right;
  return jsonText(left) === jsonText(right) ? 0 : jsonText(left) < jsonText(right) ? -1 : 1;
}

/** Records of equal rank come in no particular order: here in the reverse one of their ids. */
function sorted(records: readonly JsonObject[], sort: readonly string[]): JsonObject[] {
  return records.toSorted((a, b) => {
    for (const name of sort) {
      const key = name.replace(/^-/, "");
      const [left, right] = [valueAt(a, key) ?? null, valueAt(b, key) ?? null];
      const order = key === "id" ? Number(left) - Number(right) : compare(left, jsonText(right));
      if (order !== 0) return name.startsWith("-") ? -order : order;
    }
    return Number(b["id"]) - Number(a["id"]);
  });
}

function shown(record: JsonObject, include: readonly string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(record).filter(
      ([name, value]) => !NESTED.includes(name) || include.includes(name) || isJsonObject(value),
    ),
  );
}

/** What a list answers to parameters that it does not know is not documented; this is the stricter reading. */
function refused(parameter: string, message: string): Told {
  return { status: 400, body: { message, errors: { [parameter]: [message] } } };
}
