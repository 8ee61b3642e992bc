import type { JsonObject } from "#model";
import { startWebServer } from "../../kit/http.ts";
import { iso, keyColumns, tables, type ErpTable } from "./erp-rows.ts";
import { plainParents, type Serve } from "./served.ts";

const PAGE = 100;

/** A JSON API with the rows wrapped twice, counted pages and a condition on the stamp. */
export const serveRest: Serve = async ({ of }) => {
  const lists = Object.fromEntries(tables.map((table) => [`/${table}`, of[table].map(wrapped).toSorted(byStamp)]));
  const server = await startWebServer(({ path, query }) => {
    const since = query.get("updated_since") ?? "";
    const found = (lists[path] ?? []).filter(({ attributes }) => attributes.updated_at >= since);
    const first = (Number(query.get("page")) - 1) * PAGE;
    return { body: { data: found.slice(first, first + PAGE) } };
  });
  return {
    source: `{ adapter: rest, url: "${server.url}" }`,
    read: (table: ErpTable) =>
      `{ path: ${table}, rows: data, key: [${keyColumns[table].map(column).join(", ")}], changed: ${column("updated_at")}, ` +
      `precision: millisecond, range: { updated_since: "{from}" }, orderByChanged: { sort: updated_at }, ` +
      `paging: { kind: page, parameter: page, size: ${PAGE} } }`,
    column,
    ...plainParents(column),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
};

function column(name: string): string {
  return `attributes.${name}`;
}

interface Wrapped {
  readonly [name: string]: string | JsonObject;
  readonly type: string;
  readonly attributes: JsonObject & { readonly updated_at: string };
}

function wrapped(row: JsonObject): Wrapped {
  return { type: "row", attributes: { ...row, updated_at: iso(row) } };
}

function byStamp(a: Wrapped, b: Wrapped): number {
  return a.attributes.updated_at < b.attributes.updated_at ? -1 : 1;
}
