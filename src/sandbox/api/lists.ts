import type { Resource } from "../catalogue/resource.ts";
import type { Row } from "../records/table.ts";
import { versionAsOf } from "../records/version.ts";
import { Refusal, type ApiResponse } from "./answer.ts";
import { isInstant } from "./instant.ts";
import { readPage, type Page } from "./paging.ts";
import type { Shaper } from "./shape.ts";
import { readSorting, type Comparison } from "./sorting.ts";
import { sees, type Caller, type Tenant } from "./tenant.ts";

/** What is listed for whom. */
export interface Listing {
  readonly resource: Resource;
  /** The spelling of the path: the wrapper key, unless the tenant has another. */
  readonly key: string;
  /** The parent whose children alone are listed. */
  readonly within: { readonly field: string; readonly id: number } | undefined;
  readonly query: URLSearchParams | undefined;
  readonly caller: Caller;
}

/** Whether a list shows a row to this request. */
type Condition = (row: Row) => boolean;

/** Reads lists: what is shown to whom, order, page, wrapper. */
export class Lists {
  readonly #tenant: Tenant;
  readonly #shaper: Shaper;
  /** First totals seen, for tenants whose totals are stale. */
  readonly #firstTotals = new Map<string, number>();

  constructor(tenant: Tenant, shaper: Shaper) {
    this.#tenant = tenant;
    this.#shaper = shaper;
  }

  read({ resource, key, within, query, caller }: Listing): ApiResponse {
    const page = readPage(query, this.#tenant.switches);
    const table = this.#tenant.database.table(resource.name);
    const candidates = within === undefined ? table.rows() : table.find(within.field, within.id);
    const conditions = this.#conditions(resource, query, caller);
    const { rows, total } = select(candidates, conditions, readSorting(resource, query, this.#tenant), page);
    const plan = this.#shaper.plan(resource, "list", query?.get("fields") ?? null);
    const shown = JSON.stringify(rows.map((row) => this.#shaper.shape(row.version.record!, plan)));
    const told = within === undefined && conditions.length === 0 ? this.#told(resource, total) : total;
    return { status: 200, body: this.#wrap(this.#key(resource, key), shown, page, told) };
  }

  /** `changedSince` where the resource knows it: other names, and empty values, filter nothing. */
  #conditions(resource: Resource, query: URLSearchParams | undefined, { account, listLagMs }: Caller): Condition[] {
    const conditions: Condition[] = [];
    const since = resource.changedSince && this.#tenant.switches.changedSince ? query?.get("changedSince") : undefined;
    if (since) conditions.push(changedSince(since));
    if (account.sees?.[resource.name])
      conditions.push(({ version: { record } }) => record !== undefined && sees(account, resource.name, record));
    const asOf = this.#tenant.clock.now() - listLagMs;
    if (listLagMs > 0) conditions.push(({ version }) => versionAsOf(version, asOf) !== undefined);
    return conditions;
  }

  /** The size of a whole list as this tenant tells it. */
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
  candidates: readonly Row[],
  conditions: readonly Condition[],
  order: Comparison | "ascending" | "descending",
  { offset, limit }: Page,
): { rows: readonly Row[]; total: number } {
  if (typeof order === "function") {
    const rows = candidates.filter((row) => conditions.every((holds) => holds(row))).toSorted(order);
    return { rows: rows.slice(offset, offset + limit), total: rows.length };
  }
  const length = candidates.length;
  const at = order === "ascending" ? (turn: number) => turn : (turn: number) => length - 1 - turn;
  const rows: Row[] = [];
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

/** The moment itself counts. */
function changedSince(from: string): Condition {
  if (!isInstant(from)) throw new Refusal(400, "changedSince has invalid date format");
  return ({ version: { record } }) => {
    const at = record?.["modified"];
    return typeof at === "string" && at >= from;
  };
}
