import type { Json } from "#model";
import { isInstant } from "../catalogue/field.ts";
import type { Resource } from "../catalogue/resource.ts";
import type { StoredRow } from "../records/table.ts";
import { versionAsOf } from "../records/version.ts";
import type { Switches } from "../switches.ts";
import { RequestRefusal, type ApiResponse } from "./answer.ts";
import { filtersOf, type RecordFilter } from "./filters.ts";
import type { Shaper } from "./shape.ts";
import { sees, type Caller, type Tenant } from "./tenant.ts";

/** What is listed, and for whom. */
export interface Listing {
  readonly resource: Resource;
  /** The spelling of the path: the wrapper key, unless the tenant has a different one. */
  readonly key: string;
  /** The parent to whose children the list is limited. */
  readonly within: { readonly field: string; readonly id: number } | undefined;
  readonly query: URLSearchParams | undefined;
  readonly caller: Caller;
}

/** Reads lists: who sees what, order, page, wrapper. */
export class ListReader {
  readonly #tenant: Tenant;
  readonly #shaper: Shaper;
  /** First totals seen, for tenants whose totals are stale. */
  readonly #firstTotals = new Map<string, number>();

  constructor(tenant: Tenant, shaper: Shaper) {
    this.#tenant = tenant;
    this.#shaper = shaper;
  }

  read({ resource, key, within, query, caller }: Listing): ApiResponse {
    const page = readPage(resource, query, this.#tenant.switches);
    const table = this.#tenant.database.table(resource.name);
    const candidates = within === undefined ? table.rows() : table.find(within.field, within.id);
    const conditions = this.#conditions(resource, query, caller);
    const { rows, total } = select(candidates, conditions, readSorting(resource, query, this.#tenant), page);
    const plan = this.#shaper.plan(resource, "list", query?.get("fields") ?? null);
    const shown = JSON.stringify(rows.map((row) => this.#shaper.shape(row.version.record!, plan)));
    const told = within === undefined && conditions.length === 0 ? this.#told(resource, total) : total;
    return { status: 200, body: this.#wrap(this.#key(resource, key), shown, page, told) };
  }

  /** `changedSince` and other filters, where the resource supports them. Other names and empty values do not filter. */
  #conditions(resource: Resource, query: URLSearchParams | undefined, { account, listLagMs }: Caller): RecordFilter[] {
    const conditions: RecordFilter[] = [];
    const since = resource.changedSince && this.#tenant.switches.changedSince ? query?.get("changedSince") : undefined;
    if (since) conditions.push(changedSince(since));
    conditions.push(...filtersOf(this.#tenant, resource, query));
    if (account.sees?.[resource.name])
      conditions.push(({ version: { record } }) => record !== undefined && sees(account, resource.name, record));
    const asOf = this.#tenant.clock.now() - listLagMs;
    if (listLagMs > 0) conditions.push(({ version }) => versionAsOf(version, asOf) !== undefined);
    return conditions;
  }

  /** The size of a whole list, as this tenant reports it. */
  #told(resource: Resource, total: number): number {
    if (this.#tenant.switches.totalCount !== "stale") return total;
    const first = this.#firstTotals.get(resource.name) ?? total;
    this.#firstTotals.set(resource.name, first);
    return first;
  }

  /** Undefined where the rows are the whole answer. */
  #key(resource: Resource, spelled: string): string | undefined {
    const { listWrapper, listKeys } = this.#tenant.switches;
    if (listWrapper === "array") return undefined;
    return typeof listWrapper === "object" ? listWrapper.key : (listKeys[resource.name] ?? spelled);
  }

  #wrap(key: string | undefined, rows: string, { echo }: Page, total: number): string {
    if (key === undefined) return rows;
    const count = this.#tenant.switches.totalCount === "no" ? "" : `"totalCount":${total},`;
    return `{${count}${echo}${JSON.stringify(key)}:${rows}}`;
  }
}

function select(
  candidates: readonly StoredRow[],
  conditions: readonly RecordFilter[],
  order: Comparison | "ascending" | "descending",
  { offset, limit }: Page,
): { rows: readonly StoredRow[]; total: number } {
  if (typeof order === "function") {
    const rows = candidates.filter((row) => conditions.every((holds) => holds(row))).toSorted(order);
    return { rows: rows.slice(offset, offset + limit), total: rows.length };
  }
  const length = candidates.length;
  const at = order === "ascending" ? (turn: number) => turn : (turn: number) => length - 1 - turn;
  const rows: StoredRow[] = [];
  if (conditions.length === 0) {
    for (let turn = offset; turn < length && rows.length < limit; turn++) rows.push(candidates[at(turn)]!);
    return { rows, total: length };
  }
  let total = 0;
  for (let turn = 0; turn < length; turn++) {
    const row = candidates[at(turn)]!;
    if (!conditions.every((holds) => holds(row))) continue;
    if (total >= offset && rows.length < limit) rows.push(row);
    total += 1;
  }
  return { rows, total };
}

/** Includes the exact moment. */
function changedSince(from: string): RecordFilter {
  if (!isInstant(from)) throw new RequestRefusal(400, "changedSince has invalid date format");
  return ({ version: { record } }) => {
    const at = record?.["modified"];
    return typeof at === "string" && at >= from;
  };
}

const DEFAULT_LIMIT = 10;
const MAXIMUM_LIMIT = 50;
const MOST_INVOICES = 100;

/** Which rows of a list are requested. */
interface Page {
  readonly offset: number;
  readonly limit: number;
  /** Members of the wrapper that repeat the position. */
  readonly echo: string;
}

function readPage(resource: Resource, query: URLSearchParams | undefined, { paging }: Switches): Page {
  if (paging.kind === "none") return { offset: 0, limit: Infinity, echo: "" };
  // 0 requests no rows, only the count.
  const asked = count(query, "limit") ?? DEFAULT_LIMIT;
  const limit = resource.name === "invoice" ? invoiceLimit(asked) : Math.min(asked, MAXIMUM_LIMIT);
  if (paging.kind === "page") {
    const page = count(query, paging.parameter) ?? paging.first;
    if (page < paging.first) throw new RequestRefusal(400, `${paging.parameter} must be ${paging.first} or more`);
    const echo = `${JSON.stringify(paging.parameter)}:${page},"limit":${limit},`;
    return { offset: (page - paging.first) * limit, limit, echo };
  }
  const offset = paging.kind === "offset" ? (count(query, paging.parameter) ?? 0) : 0;
  return { offset, limit, echo: `"offset":${offset},"limit":${limit},` };
}

/** A live tenant shows no invoices at all, and no error, when it is asked for too many. */
function invoiceLimit(asked: number): number {
  return asked > MOST_INVOICES ? 0 : asked;
}

function count(query: URLSearchParams | undefined, name: string): number | undefined {
  const text = query?.get(name);
  if (text === undefined || text === null || text === "") return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new RequestRefusal(400, `${name} must be a whole number`);
  return Number(text);
}

type Comparison = (a: StoredRow, b: StoredRow) => number;

/** The requested order of a list, or the tenant's own. Unknown words are ignored. */
function readSorting(
  resource: Resource,
  query: URLSearchParams | undefined,
  tenant: Tenant,
): Comparison | "ascending" | "descending" {
  const { sorting, order } = tenant.switches;
  const asked = sorting ? (query?.get("sortings") ?? "") : "";
  const terms = asked
    .split(",")
    .map((term) => term.trim().split(/\s+/))
    .filter(([name = ""]) => resource.fields.has(tenant.catalogue.brand.neutral(name)));
  const [first] = terms;
  if (first === undefined) {
    if (order === "changedFirst") return (a, b) => b.version.sequence - a.version.sequence;
    return order === "oldestFirst" ? "ascending" : "descending";
  }
  if (first[0] === "id") return first[1] === "desc" ? "descending" : "ascending";
  const comparisons = terms.map(([name = "", direction]) =>
    byField(tenant.catalogue.brand.neutral(name), direction === "desc" ? -1 : 1),
  );
  return (a, b) => {
    for (const compare of comparisons) {
      const difference = compare(a, b);
      if (difference !== 0) return difference;
    }
    return 0;
  };
}

function byField(field: string, sign: 1 | -1): Comparison {
  return (a, b) => sign * compareValues(a.version.record?.[field] ?? null, b.version.record?.[field] ?? null);
}

/** Null comes first; text and numbers are each compared among themselves. */
function compareValues(a: Json, b: Json): number {
  if (a === b) return 0;
  if (a === null) return -1;
  if (b === null) return 1;
  return a < b ? -1 : 1;
}
