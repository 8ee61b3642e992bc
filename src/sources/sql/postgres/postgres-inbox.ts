import type { InboxEngine } from "../engines/engine.ts";
import { faultCode } from "../engines/network-fault.ts";
import type { SqlSettings } from "../settings.ts";
import { sql } from "../sql-text.ts";
import { quotedTable } from "./quoted-table.ts";

/** SQLSTATE values, from the appendix of PostgreSQL's manual. */
const uniqueViolation = "23505";
const dataOrConstraint = /^(22|23)/;

export function postgresInbox(settings: SqlSettings): InboxEngine {
  return {
    connect: async () => (await import("./postgres-session.ts")).connectPostgres(settings, "inbox"),
    begin: "begin",
    // The protocol counts them in 16 bits.
    mostValues: 60_000,
    isDuplicate: (error) => faultCode(error) === uniqueViolation,
    isRefused: (error) => dataOrConstraint.test(faultCode(error) ?? ""),
    columns: (table) => sql`
        select i.column_name, i.data_type, i.character_maximum_length,
          case when i.data_type = 'numeric' then i.numeric_precision end, i.numeric_scale,
          i.is_nullable = 'NO' and i.column_default is null and i.is_identity = 'NO' and i.is_generated = 'NEVER'
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
        join information_schema.columns i on i.table_schema = n.nspname and i.table_name = c.relname
        where c.oid = to_regclass(${quotedTable(table)})`,
    countedIn: () => "characters",
    rights: (table) => sql`
        select has_any_column_privilege(c.oid, 'update'), has_table_privilege(c.oid, 'delete')
        from pg_class c where c.oid = to_regclass(${quotedTable(table)})`,
  };
}
