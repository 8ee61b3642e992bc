import { messageOf, SyncError, type ErrorCode } from "#model";
import {
  scalar,
  scalarIfKnown,
  type RunQuery,
  type SqlCell,
  type Column,
  type ColumnKind,
  type Engine,
  type DriverFault,
  type ServerMoment,
} from "../engines/engine.ts";
import { faultCode, networkFault } from "../engines/network-fault.ts";
import type { SqlSettings } from "../settings.ts";
import { sql, unsetText, type Sql } from "../sql-text.ts";
import { mysqlInbox } from "./mysql-inbox.ts";
import { tablePlace } from "./table-place.ts";

/** MariaDB 10.5 and later, MySQL 8 and later. Values travel as text and are cast to the type of the compared column. */
export function mysqlEngine(settings: SqlSettings): Engine {
  return {
    name: "mysql",
    // The optimizer uses no index for `(a, b) >= (x, y)`.
    rowValues: false,
    // Open transactions are shown 0.1 s late, and not to everyone.
    exactSequence: false,
    // Loaded on demand: no command waits for the drivers of other databases.
    connect: async () => (await import("./mysql-session.ts")).connectMysql(settings),
    inbox: mysqlInbox(settings),
    limit: (count) => sql.raw(`limit ${count}`),
    exact,
    bound,
    // An ENUM or SET is sorted by its numbers, but compared as text with the text that is bound.
    ordered: ({ name, type }) =>
      type === "enum" ? sql`convert(${sql.id(name)} using utf8mb4) collate utf8mb4_bin` : undefined,
    equals(column, text) {
      const number = column.kind === "integer" || column.kind === "decimal";
      if (number && !/^-?\d+(\.\d+)?$/.test(text)) return sql`1 = 0`;
      return sql`${sql.id(column.name)} = ${bound(text, column)}`;
    },
    unset(column, text) {
      const name = sql.id(column.name);
      const dated = column.kind === "instant" || column.kind === "datetime" || column.kind === "date";
      // Equality, because an index of a TIMESTAMP column serves it but not `<`.
      return dated ? sql`(${name} is null or ${name} = '0000-00-00 00:00:00')` : unsetText(name, text);
    },
    moment,
    clock,
    async identity(ask) {
      const name = await scalarIfKnown(ask, sql`select database()`);
      const uuid = await scalarIfKnown(ask, sql`select @@server_uuid`);
      // MariaDB has no identifier of its own. One host may run several servers.
      const own = uuid ?? (await scalarIfKnown(ask, sql`select concat_ws(' ', @@hostname, @@server_id, @@datadir)`));
      const named = own === undefined ? {} : { own: `server ${own}`, isOwnOfServer: true };
      return { ...named, part: `database ${name ?? ""}` };
    },
    async version(ask) {
      const version = String(await scalar(ask, sql`select version()`));
      return version.includes("MariaDB") ? `MariaDB ${version.split("-")[0]}` : `MySQL ${version}`;
    },
    tables: sql`
        select table_schema, table_name, table_schema = database() from information_schema.tables
        where table_schema not in ('information_schema', 'mysql', 'performance_schema', 'sys')`,
    primaryKey(table) {
      const { schema, name } = tablePlace(table);
      return sql`
        select column_name from information_schema.statistics
        where table_schema = ${schema} and table_name = ${name} and index_name = 'PRIMARY' order by seq_in_index`;
    },
    async indexed(ask, table, column) {
      const { schema, name } = tablePlace(table);
      const { rows } = await ask(sql`
        select t.table_type, exists (
          select 1 from information_schema.statistics s
          where s.table_schema = t.table_schema and s.table_name = t.table_name
            and s.seq_in_index = 1 and s.column_name = ${column})
        from information_schema.tables t where t.table_schema = ${schema} and t.table_name = ${name}`);
      const [type, found] = rows[0] ?? [];
      return type === "BASE TABLE" ? Number(found) === 1 : undefined;
    },
    fault: mysqlFault,
  };
}

/** What texts are cast to before they are compared with a column of the kind. Other kinds need no cast. */
const castTypes: Readonly<Partial<Record<ColumnKind, Sql>>> = {
  integer: sql`signed`,
  instant: sql`datetime(6)`,
  datetime: sql`datetime(6)`,
  date: sql`date`,
  time: sql`time(6)`,
  float: sql`double`,
};

/** Reads dates as text: building a date from its parts takes the driver ten times as long as reading text. */
function exact({ name, kind, type }: Column): Sql {
  const column = sql.id(name);
  if (type.startsWith("bit")) return sql`cast(${column} as unsigned)`;
  if (kind === "date") return sql`cast(${column} as char)`;
  if (kind !== "datetime" && kind !== "instant") return column;
  // Leaves out a fraction of zeros, whatever the precision of the column.
  return sql`left(cast(${column} as char), if(microsecond(${column}) = 0, 19, 26))`;
}

function bound(cell: SqlCell, { kind, type }: Column): Sql {
  const text = cell === null ? null : String(cell);
  const castType = type.endsWith("unsigned") ? sql`unsigned` : kind === "decimal" ? sql.raw(type) : castTypes[kind];
  return castType === undefined ? sql`${text}` : sql`cast(${text} as ${castType})`;
}

const clock = sql`floor(unix_timestamp(now(3)) * 1000)`;

/**
 * Open transactions are shown only to users with the PROCESS privilege, and from a cache that is not renewed while reads come
 * within 0.1 s. So they make the mark wait for long transactions, and the overlap covers the short ones.
 */
async function moment(ask: RunQuery): Promise<ServerMoment> {
  const atMs = Number(await scalar(ask, sql`select ${clock}`));
  return { atMs, open: await openTransactions(ask), oldestMs: undefined };
}

async function openTransactions(ask: RunQuery): Promise<readonly string[] | undefined> {
  try {
    // A prepared transaction (XA) keeps its id, and nothing else, when its connection ends.
    const { rows } = await ask(sql`
      select concat(trx_mysql_thread_id, '@', trx_started), trx_id from information_schema.innodb_trx
      where trx_mysql_thread_id <> connection_id()`);
    return rows.flat().map(String);
  } catch (error) {
    if (error instanceof SyncError && error.code === "E_SOURCE_FORBIDDEN") return undefined;
    throw error;
  }
}

/** Error names of MySQL and MariaDB, as the driver spells them. */
const names: Readonly<Record<string, ErrorCode>> = {
  ER_ACCESS_DENIED_ERROR: "E_SOURCE_LOGIN",
  ER_ACCESS_DENIED_NO_PASSWORD_ERROR: "E_SOURCE_LOGIN",
  ER_HOST_NOT_PRIVILEGED: "E_SOURCE_LOGIN",
  ER_BAD_DB_ERROR: "E_SOURCE_DATABASE",
  ER_DBACCESS_DENIED_ERROR: "E_SOURCE_FORBIDDEN",
  ER_TABLEACCESS_DENIED_ERROR: "E_SOURCE_FORBIDDEN",
  ER_COLUMNACCESS_DENIED_ERROR: "E_SOURCE_FORBIDDEN",
  ER_SPECIFIC_ACCESS_DENIED_ERROR: "E_SOURCE_FORBIDDEN",
  ER_NO_SUCH_TABLE: "E_SOURCE_TABLE",
  ER_BAD_FIELD_ERROR: "E_SOURCE_COLUMN",
  ER_QUERY_TIMEOUT: "E_SOURCE_TIMEOUT",
  ER_STATEMENT_TIMEOUT: "E_SOURCE_TIMEOUT",
  ER_LOCK_WAIT_TIMEOUT: "E_SOURCE_BUSY",
  ER_LOCK_DEADLOCK: "E_SOURCE_BUSY",
  ER_CON_COUNT_ERROR: "E_SOURCE_BUSY",
  ER_USER_LIMIT_REACHED: "E_SOURCE_BUSY",
  ER_SERVER_SHUTDOWN: "E_SOURCE_UNREACHABLE",
  ER_NEW_ABORTING_CONNECTION: "E_SOURCE_UNREACHABLE",
  ER_CONNECTION_KILLED: "E_SOURCE_UNREACHABLE",
  PROTOCOL_SEQUENCE_TIMEOUT: "E_SOURCE_TIMEOUT",
  HANDSHAKE_NO_SSL_SUPPORT: "E_SOURCE_TLS",
  HANDSHAKE_SSL_ERROR: "E_SOURCE_TLS",
};

/** MariaDB's number for an exceeded max_statement_time, which the driver has no name for. */
const mariadbTimeout = 1969;

function mysqlFault(error: unknown): DriverFault | undefined {
  const code = faultCode(error);
  const number = typeof error === "object" && error !== null && "errno" in error ? error.errno : undefined;
  if (number === mariadbTimeout) return { code: "E_SOURCE_TIMEOUT" };
  const known = code === undefined ? undefined : names[code];
  if (known !== undefined) return { code: known, subject: /'([^']+)'/.exec(messageOf(error))?.[1] };
  if (/closed state|server closed the connection|Connection lost/.test(messageOf(error)))
    return { code: "E_SOURCE_UNREACHABLE" };
  return networkFault(error);
}
