import { sql, type Sql } from "../sql-text.ts";

/** Where the catalogue has a table: without a schema it is in the database of the connection. */
export function tablePlace(table: string): { readonly schema: Sql; readonly name: string } {
  const at = table.lastIndexOf(".");
  return { schema: at < 0 ? sql`database()` : sql`${table.slice(0, at)}`, name: table.slice(at + 1) };
}
