import type { ErrorCode } from "#model";
import {
  scalar,
  scalarIfKnown,
  type SqlCell,
  type Column,
  type Engine,
  type DriverFault,
  type ServerCounters,
} from "../engines/engine.ts";
import { faultCode, networkFault } from "../engines/network-fault.ts";
import { parseStampText } from "../markers/stamp-text.ts";
import type { SqlSettings } from "../settings.ts";
import { mssqlInbox } from "./mssql-inbox.ts";
import { bracketed, quotedName, sql, unsetText, type Sql } from "../sql-text.ts";

/** CONVERT's style for `yyyy-mm-dd hh:mi:ss.fffffff`, which is the same under every language and DATEFORMAT. */
const odbcStyle = sql.raw("121");

/** SQL Server 2016 and later. Values travel as text and are converted to the exact type of the compared column. */
export function mssqlEngine(settings: SqlSettings): Engine {
  return {
    name: "mssql",
    rowValues: false,
    exactSequence: false,
    // Loaded on demand: no command waits for the drivers of other databases.
    connect: async () => (await import("./mssql-session.ts")).connectMssql(settings),
    inbox: mssqlInbox(settings, bound),
    limit: (count) => sql.raw(`offset 0 rows fetch next ${count} rows only`),
    exact,
    bound,
    equals: (column, text) => sql`${sql.id(column.name)} = try_${bound(text, column)}`,
    unset: (column, text) => unsetText(sql.id(column.name), text),
    counters,
    async moment(ask) {
      const clock = await scalar(ask, sql`select convert(varchar(33), sysutcdatetime(), ${odbcStyle})`);
      return { atMs: parseStampText(String(clock))?.wallMs ?? Number.NaN, open: undefined, oldestMs: undefined };
    },
    async identity(ask) {
      // All members of an availability group have the same one.
      const own = await scalarIfKnown(
        ask,
        sql`select convert(varchar(36), service_broker_guid) from sys.databases where database_id = db_id()`,
      );
      const part = await scalarIfKnown(ask, sql`select concat('database ', db_name(), ', schema ', schema_name())`);
      return { ...(own === undefined ? {} : { own: `database ${own}` }), part: part ?? "" };
    },
    version: async (ask) =>
      `SQL Server ${String(await scalar(ask, sql`select cast(serverproperty('ProductVersion') as varchar(40))`))}`,
    tables: sql`
        select schema_name(schema_id), name, case when schema_id = schema_id(schema_name()) then 1 else 0 end
        from sys.objects where type in ('U', 'V')`,
    primaryKey: (table) => sql`
        select c.name from sys.indexes i
        join sys.index_columns k on k.object_id = i.object_id and k.index_id = i.index_id
        join sys.columns c on c.object_id = k.object_id and c.column_id = k.column_id
        where i.is_primary_key = 1 and i.object_id = object_id(${quotedName(table, "mssql")}) order by k.key_ordinal`,
    async indexed(ask, table, column) {
      const { rows } = await ask(sql`
        select o.type, (
          select count(*) from sys.index_columns i
          join sys.columns c on c.object_id = i.object_id and c.column_id = i.column_id
          where i.object_id = o.object_id and i.key_ordinal = 1 and c.name = ${column})
        from sys.objects o where o.object_id = object_id(${quotedName(table, "mssql")})`);
      const [type, found] = rows[0] ?? [];
      return String(type).trim() === "U" ? Number(found) > 0 : undefined;
    },
    fault,
  };
}

/** Reads as text whatever the driver would turn into a Date or a floating-point number. */
function exact(column: Column): Sql {
  const name = sql.id(column.name);
  switch (column.kind) {
    case "datetime":
    case "instant":
    case "time":
      return sql`convert(varchar(34), ${name}, ${odbcStyle})`;
    case "date":
      return sql`convert(varchar(10), ${name}, 23)`;
    case "decimal":
      // As a text of its own, money has two digits behind the point.
      return sql`convert(varchar(40), ${column.type === "money" ? sql`convert(decimal(19, 4), ${name})` : name})`;
    case "rowversion":
      return sql`convert(bigint, ${name})`;
    case "text":
      return column.isPadded ? sql`rtrim(${name})` : name;
    case "integer":
    case "float":
    case "boolean":
    case "json":
    case "binary":
    case "any":
    case "any-datetime":
      return name;
  }
}

/** Always `convert(…)`, so that a lookup can turn it into `try_convert(…)`. */
function bound(cell: SqlCell, column: Column): Sql {
  const value = cell === null ? null : String(cell);
  if (column.kind === "rowversion") return sql`convert(binary(8), convert(bigint, ${value}))`;
  const dated = column.kind === "datetime" || column.kind === "instant" || column.kind === "time";
  if (dated || column.kind === "date") return sql`convert(${sql.raw(column.type)}, ${value}, ${odbcStyle})`;
  return sql`convert(${sql.raw(column.type)}, ${value})`;
}

const counters: ServerCounters = {
  rowversionCeiling: sql`select convert(bigint, min_active_rowversion()) - 1`,
  trackedVersions: (table) =>
    sql`select change_tracking_current_version(), change_tracking_min_valid_version(object_id(${quotedName(table, "mssql")}))`,
  trackedKeys(table, key) {
    const columns = [...key.map(bracketed), "SYS_CHANGE_VERSION as trackedVersion"].join(", ");
    return `select ${columns} from changetable(changes ${quotedName(table, "mssql")}, null) as tracked`;
  },
};

/** Error numbers of SQL Server (sys.messages). */
const numbers = new Map<number, ErrorCode>([
  [18456, "E_SOURCE_LOGIN"],
  [4060, "E_SOURCE_DATABASE"],
  [208, "E_SOURCE_TABLE"],
  [207, "E_SOURCE_COLUMN"],
  [229, "E_SOURCE_FORBIDDEN"],
  [230, "E_SOURCE_FORBIDDEN"],
  [1205, "E_SOURCE_BUSY"],
  [1222, "E_SOURCE_BUSY"],
  [10928, "E_SOURCE_BUSY"],
]);

const codes: Readonly<Record<string, ErrorCode>> = {
  ELOGIN: "E_SOURCE_LOGIN",
  ETIMEOUT: "E_SOURCE_TIMEOUT",
  ESOCKET: "E_SOURCE_UNREACHABLE",
  ECLOSE: "E_SOURCE_UNREACHABLE",
  EINSTLOOKUP: "E_SOURCE_UNREACHABLE",
  EINVALIDSTATE: "E_SOURCE_UNREACHABLE",
  EENCRYPT: "E_SOURCE_TLS",
};

export function fault(error: unknown): DriverFault | undefined {
  const number = typeof error === "object" && error !== null && "number" in error ? error.number : undefined;
  const known = typeof number === "number" ? numbers.get(number) : undefined;
  const message = error instanceof Error ? error.message : "";
  if (known) return { code: known, subject: /'([^']+)'/.exec(message)?.[1] };
  // The driver wraps the error of the socket or the handshake.
  const cause = error instanceof Error && error.cause ? networkFault(error.cause) : undefined;
  if (cause) return cause;
  const code = faultCode(error);
  if (code === "ETIMEOUT" && /connect/i.test(message)) return { code: "E_SOURCE_UNREACHABLE" };
  return code !== undefined && codes[code] ? { code: codes[code] } : networkFault(error);
}
