import type { JsonObject } from "#model";
import { odataService, type ServiceManners } from "../odata/service.ts";
import { startWebServer } from "../../kit/http.ts";
import { iso, keyColumns, tables, type ErpRows, type ErpTable } from "./erp-rows.ts";
import { plainParents, type Serve } from "./served.ts";

/** Entity sets with properties in camel case, stamps with a zone and pages that the server cuts. */
export const serveOData: Serve = async (rows) => {
  const sets = Object.fromEntries(tables.map((table) => [camel(table), manners(table, rows)]));
  const server = await startWebServer((asked) => odataService(sets, asked));
  return {
    source: `{ adapter: odata, version: v4, url: "${server.url}/api" }`,
    read: (table) => `{ entity: ${camel(table)}, changed: updatedAt }`,
    column: camel,
    ...plainParents(camel),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
};

const types: Readonly<Record<string, string>> = {
  contactNo: "Int32",
  deleted: "Boolean",
  updatedAt: "DateTimeOffset",
};

function manners(table: ErpTable, { of }: ErpRows): ServiceManners {
  const rows = of[table].map((row): JsonObject => {
    const named = Object.fromEntries(Object.entries(row).map(([name, value]) => [camel(name), value]));
    return { ...named, deleted: false, updatedAt: iso(row) };
  });
  const names = Object.keys(rows[0]!);
  return {
    version: "v4",
    rows: () => rows,
    keys: keyColumns[table].map(camel),
    types: Object.fromEntries(names.map((name) => [name, types[name] ?? "String"])),
    cap: 0.7,
  };
}

function camel(name: string): string {
  return name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}
