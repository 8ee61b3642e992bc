import type { InboxEngine } from "../engines/engine.ts";
import { faultCode } from "../engines/network-fault.ts";
import type { SqlSettings } from "../settings.ts";
import { sql, tableName } from "../sql-text.ts";
import { tablePlace } from "./table-place.ts";

/** Error names of MySQL and MariaDB, as the driver spells them. */
const duplicate = /^ER_DUP_(ENTRY|KEY|UNIQUE|ENTRY_WITH_KEY_NAME)$/;
const refused =
  /^ER_(DATA_TOO_LONG|WARN_DATA_OUT_OF_RANGE|TRUNCATED_WRONG_VALUE.*|IMPOSSIBLE_STRING_CONVERSION|BAD_NULL_ERROR|NO_DEFAULT_FOR_FIELD|CHECK_CONSTRAINT_VIOLATED|CONSTRAINT_FAILED|NO_REFERENCED_ROW(_2)?|SIGNAL_EXCEPTION|INVALID_JSON_TEXT)$/;
/** MariaDB's number for a violated CHECK, which the driver has another name for. */
const mariadbCheck = 4025;

export function mysqlInbox(settings: SqlSettings): InboxEngine {
  return {
    connect: async () => (await import("./mysql-session.ts")).connectMysql(settings, "inbox"),
    begin: "start transaction",
    // The protocol counts them in 16 bits.
    mostValues: 60_000,
    isDuplicate: (error) => duplicate.test(faultCode(error) ?? ""),
    isRefused: (error) => refused.test(faultCode(error) ?? "") || numberOf(error) === mariadbCheck,
    columns(table) {
      const { schema, name } = tablePlace(table);
      return sql`
        select column_name, column_type,
          if(data_type in ('char', 'varchar'), character_maximum_length, character_octet_length),
          if(data_type = 'decimal', numeric_precision, null), numeric_scale,
          is_nullable = 'NO' and column_default is null and extra not like '%auto_increment%' and extra not like '% GENERATED%'
        from information_schema.columns where table_schema = ${schema} and table_name = ${name}`;
    },
    countedIn: (type) => (/^(var)?char/i.test(type) ? "characters" : "bytes"),
    // Roles and rights of the database and of columns all count, which no table of the catalogue shows.
    rightCommands: (table, column) => ({
      update: sql`explain update ${tableName(table)} set ${sql.id(column)} = null where 1 = 0`,
      delete: sql`explain delete from ${tableName(table)} where 1 = 0`,
    }),
    isTransactional(table) {
      const { schema, name } = tablePlace(table);
      return sql`
        select coalesce(e.transactions, 'YES') = 'YES' from information_schema.tables t
        left join information_schema.engines e on e.engine = t.engine
        where t.table_schema = ${schema} and t.table_name = ${name}`;
    },
  };
}

function numberOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "errno" in error ? error.errno : undefined;
}
