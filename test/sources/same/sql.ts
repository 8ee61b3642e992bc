import { startPostgres } from "../../setup/postgres.ts";
import { openWriter } from "../sql/writer.ts";
import { keyColumns, tables, type ErpRows, type ErpTable } from "./erp-rows.ts";
import { ownName, plainParents, type Serve, type Served } from "./served.ts";

/** The sample ERP as it is. */
export const serveSqlite: Serve = async ({ path }) => ({
  ...served(`sqlite:${path}`),
  [Symbol.asyncDispose]: () => Promise.resolve(),
});

/** The same tables in a server, with types where SQLite has texts. */
export const servePostgres: Serve = async (rows) => {
  const postgres = await startPostgres();
  await using writer = await openWriter(postgres.url);
  await writer.run(`set timezone = 'UTC'; ${tables.map((table) => filled(table, rows)).join(";")}`);
  return { ...served(postgres.url), [Symbol.asyncDispose]: () => postgres[Symbol.asyncDispose]() };
};

function served(url: string): Omit<Served, typeof Symbol.asyncDispose> {
  return {
    source: `{ adapter: sql, url: "${url}" }`,
    read: (table) => `{ table: ${table}, key: [${keyColumns[table].join(", ")}], changed: updated_at }`,
    column: ownName,
    ...plainParents(ownName),
  };
}

const types: Readonly<Record<string, string>> = {
  contact_no: "integer",
  deleted: "smallint",
  billable: "smallint",
  amount: "numeric(12, 2)",
  due_date: "date",
  planned_at: "timestamptz",
  updated_at: "timestamptz",
};

function filled(table: ErpTable, { of }: ErpRows): string {
  const rows = of[table];
  const columns = Object.keys(rows[0]!).map((name) => `${name} ${types[name] ?? "text"}`);
  return (
    `create table ${table} (${columns.join(", ")}, primary key (${keyColumns[table].join(", ")}));` +
    `insert into ${table} select * from json_populate_recordset(null::${table}, $rows$${JSON.stringify(rows)}$rows$)`
  );
}
