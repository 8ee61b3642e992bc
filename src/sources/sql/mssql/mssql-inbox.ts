import type { Column, InboxEngine } from "../engines/engine.ts";
import { lockWaitMs } from "../engines/lock-wait.ts";
import type { SqlSettings } from "../settings.ts";
import { quotedName, sql, type Sql } from "../sql-text.ts";

/** Error numbers of SQL Server (sys.messages). */
const duplicates = new Set<unknown>([2601, 2627]);
/** Conversions, overflows, truncated texts, NULL, and constraints. */
const refusals = new Set<unknown>([220, 241, 242, 245, 248, 515, 547, 2628, 8114, 8115, 8152]);

/** Every error rolls the transaction back. */
const preparation = `set lock_timeout ${lockWaitMs}; set xact_abort on`;

export function mssqlInbox(settings: SqlSettings, bound: (cell: string | null, column: Column) => Sql): InboxEngine {
  return {
    connect: async () => (await import("./mssql-session.ts")).connectMssql(settings, preparation),
    begin: "begin transaction",
    mostValues: 2_000,
    // As text the value keeps its length; a conversion to the column's type would cut it off.
    value: (text, column) => (column.kind === "text" ? sql`${text}` : bound(text, column)),
    isDuplicate: (error) => duplicates.has(numberOf(error)),
    isRefused: (error) => refusals.has(numberOf(error)),
    columns: (table) => sql`
        select c.column_name, c.data_type,
          case when c.character_maximum_length between 1 and 8000 then c.character_maximum_length end,
          case when c.data_type in ('decimal', 'numeric', 'money', 'smallmoney') then c.numeric_precision end, c.numeric_scale,
          case when c.is_nullable = 'NO' and c.column_default is null
            and columnproperty(o.object_id, c.column_name, 'IsIdentity') = 0
            and columnproperty(o.object_id, c.column_name, 'IsComputed') = 0 then 1 else 0 end
        from sys.objects o join information_schema.columns c
          on c.table_schema = schema_name(o.schema_id) and c.table_name = o.name
        where o.object_id = object_id(${quotedName(table, "mssql")})`,
    countedIn: (type) => (type.startsWith("n") ? "units" : "bytes"),
    rights: (table) => sql`
        select has_perms_by_name(${quotedName(table, "mssql")}, 'OBJECT', 'UPDATE'),
          has_perms_by_name(${quotedName(table, "mssql")}, 'OBJECT', 'DELETE')`,
  };
}

function numberOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "number" in error ? error.number : undefined;
}
