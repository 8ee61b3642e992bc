import type { Resource } from "../catalogue/resource.ts";
import type { Row } from "../records/table.ts";
import { versionAsOf } from "../records/version.ts";
import type { Answer } from "./answer.ts";
import { type Condition, Conditions } from "./conditions.ts";
import type { FullText } from "./full-text.ts";
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

/** Reads lists: filters, order, page, wrapper. */
export class Lists {
  readonly #tenant: Tenant;
  readonly #shaper: Shaper;
  readonly #conditions: Conditions;
  /** First totals seen, for tenants whose totals are stale. */
  readonly #firstTotals = new Map<string, number>();

  constructor(tenant: Tenant, shaper: Shaper, fullText: FullText) {
    this.#tenant = tenant;
    this.#shaper = shaper;
    this.#conditions = new Conditions(tenant, fullText);
  }

  read({ resource, key, within, query, caller }: Listing): Answer {
    const page = readPage(resource, query, this.#tenant.switches);
    const conditions = query === undefined ? [] : this.#conditions.read(resource, query, caller);
    if (within) conditions.push(inside(within));
    if (caller.account.sees?.[resource.name])
      conditions.push({
        holds: ({ version: { record } }) => record !== undefined && sees(caller.account, resource.name, record),
      });
    if (caller.listLagMs > 0) conditions.push(this.#createdBefore(caller.listLagMs));
    const { rows, total } = this.#select(resource, conditions, readSorting(resource, query, this.#tenant), page);
    const plan = this.#shaper.plan(resource, "list", query?.get("fields") ?? null);
    const shown = JSON.stringify(rows.map((row) => this.#shaper.shape(row.version.record!, plan)));
    const told = conditions.length === 0 ? this.#told(resource, total) : total;
    return { status: 200, body: this.#wrap(this.#key(resource, key), shown, page, told) };
  }

  #createdBefore(lagMs: number): Condition {
    const asOf = this.#tenant.clock.now() - lagMs;
    return { holds: ({ version }) => versionAsOf(version, asOf) !== undefined };
  }

  #select(
    resource: Resource,
    conditions: readonly Condition[],
    order: Comparison | "ascending" | "descending",
    { offset, limit }: Page,
  ): { rows: Row[]; total: number } {
    const candidates = this.#candidates(resource, conditions);
    if (typeof order === "function") {
      const rows = candidates.filter((row) => conditions.every(({ holds }) => holds(row))).toSorted(order);
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
      if (!conditions.every(({ holds }) => holds(row))) continue;
      if (total >= offset && rows.length < limit) rows.push(row);
      total += 1;
    }
    return { rows, total };
  }

  /** The rows of the table, or fewer where an index can tell that the others are out. */
  #candidates(resource: Resource, conditions: readonly Condition[]): readonly Row[] {
    const table = this.#tenant.database.table(resource.name);
    const exact = conditions.find((condition) => condition.exact)?.exact;
    if (exact === undefined) return table.rows();
    const found = new Set(exact.values.flatMap((value) => table.find(exact.field, value)));
    return [...found].toSorted((a, b) => a.id - b.id);
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

const inside = ({ field, id }: NonNullable<Listing["within"]>): Condition => ({
  holds: (row) => row.version.record?.[field] === id,
  exact: { field, values: [id] },
});
