import { messageOf, type ErrorCode } from "#model";
import { sql, unsetText } from "../sql-text.ts";
import {
  scalar,
  scalarIfKnown,
  type RunQuery,
  type Engine,
  type DriverFault,
  type ServerMoment,
} from "../engines/engine.ts";
import { faultCode, networkFault } from "../engines/network-fault.ts";
import type { SqlSettings } from "../settings.ts";
import { postgresInbox } from "./postgres-inbox.ts";
import { quotedTable } from "./quoted-table.ts";

/** PostgreSQL 12 and later. Values travel as text, which is exact, and take the type of the compared column. */
export function postgresEngine(settings: SqlSettings): Engine {
  return {
    name: "postgres",
    rowValues: true,
    exactSequence: true,
    // Loaded on demand: no command waits for the drivers of other databases.
    connect: async () => (await import("./postgres-session.ts")).connectPostgres(settings),
    inbox: postgresInbox(settings),
    limit: (count) => sql.raw(`limit ${count}`),
    // As text, a CHAR loses the blanks that pad it.
    exact: (column) => (column.isPadded ? sql`${sql.id(column.name)}::text` : sql.id(column.name)),
    bound: (cell) => sql`${cell === null ? null : String(cell)}`,
    equals: (column, text) => (fits(column.type, text) ? sql`${sql.id(column.name)} = ${text}` : sql`1 = 0`),
    unset(column, text) {
      const name = sql.id(column.name);
      const dated = column.kind === "instant" || column.kind === "datetime" || column.kind === "date";
      return dated ? sql`(${name} is null or ${name} = '-infinity')` : unsetText(name, text);
    },
    moment,
    clock,
    identity,
    version: async (ask) => `PostgreSQL ${String(await scalar(ask, sql`select current_setting('server_version')`))}`,
    tables: sql`
        select n.nspname, c.relname, pg_table_is_visible(c.oid) from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
          and n.nspname not in ('pg_catalog', 'information_schema') and has_any_column_privilege(c.oid, 'select')`,
    primaryKey: (table) => sql`
        select a.attname from pg_index i
        cross join unnest(i.indkey::int2[]) with ordinality as k(attnum, place)
        join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
        where i.indisprimary and i.indrelid = to_regclass(${quotedTable(table)}) order by k.place`,
    async indexed(ask, table, column) {
      const { rows } = await ask(sql`
        select c.relkind in ('v', 'f'), exists (
          select 1 from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
          where i.indrelid = c.oid and a.attname = ${column})
        from pg_class c where c.oid = to_regclass(${quotedTable(table)})`);
      const [view, found] = rows[0] ?? [];
      return view === undefined || view === "t" ? undefined : found === "t";
    },
    fault: postgresFault,
  };
}

/** A copy by replication has the same identifiers; one by dump and restore has others. */
async function identity(ask: RunQuery): Promise<{ own?: string; part: string }> {
  const cluster = await scalarIfKnown(ask, sql`select system_identifier::text from pg_control_system()`);
  const { rows } = await ask(sql`
    select oid::text, datname, current_schema() from pg_database where datname = current_database()`);
  const [oid, name, schema] = (rows[0] ?? []).map(String);
  const own = cluster === undefined ? {} : { own: `system ${cluster}, database ${oid}` };
  return { ...own, part: cluster === undefined ? `database ${name}, schema ${schema}` : `schema ${schema}` };
}

const clock = sql`floor(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/**
 * Reads the clock and the open transactions. Every open transaction, even one that has not written yet, holds a lock on its own
 * virtual id, and `pg_locks` shows these to every user. One that has written also holds its transaction id. If it is prepared, only
 * that id outlives a restart of the server. Transactions of other databases are left out. A standby does not know those of its
 * primary.
 */
async function moment(ask: RunQuery): Promise<ServerMoment> {
  const { rows } = await ask(sql`
    select ${clock},
      pg_is_in_recovery(),
      (select string_agg(distinct coalesce(l.transactionid::text, l.virtualtransaction), ' ')
       from pg_locks l left join pg_stat_activity a on a.pid = l.pid
       where l.locktype in ('virtualxid', 'transactionid') and l.mode = 'ExclusiveLock' and l.granted
         and l.pid is distinct from pg_backend_pid()
         and (a.datname is null or a.datname = current_database())),
      (select floor(extract(epoch from min(xact_start)) * 1000)::bigint from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid())`);
  const [at, standby, open, oldest] = rows[0]!;
  return {
    atMs: Number(at),
    open: standby === "t" ? undefined : open === null || open === undefined ? [] : String(open).split(" "),
    oldestMs: oldest === null ? undefined : Number(oldest),
  };
}

const shapes: Readonly<Record<string, RegExp>> = {
  int2: /^-?\d{1,5}$/,
  int4: /^-?\d{1,10}$/,
  int8: /^-?\d{1,19}$/,
  oid: /^\d{1,10}$/,
  numeric: /^-?\d+(\.\d+)?$/,
  uuid: /^[0-9a-f-]{32,36}$/i,
};

/** Whether the column's type can hold the key. Otherwise the key names no record, and PostgreSQL would refuse the statement. */
function fits(type: string, text: string): boolean {
  return shapes[type]?.test(text) ?? true;
}

/** SQLSTATE values and classes, from the appendix of PostgreSQL's manual. */
const states: readonly (readonly [state: RegExp, code: ErrorCode])[] = [
  [/^28/, "E_SOURCE_LOGIN"],
  [/^3D000$/, "E_SOURCE_DATABASE"],
  [/^42P01$|^3F000$/, "E_SOURCE_TABLE"],
  [/^42703$/, "E_SOURCE_COLUMN"],
  [/^42501$/, "E_SOURCE_FORBIDDEN"],
  [/^57014$/, "E_SOURCE_TIMEOUT"],
  [/^(40001|40P01|55P03|53...)$/, "E_SOURCE_BUSY"],
  [/^(08...|57P0.|58...|25P03)$/, "E_SOURCE_UNREACHABLE"],
];

function postgresFault(error: unknown): DriverFault | undefined {
  const code = faultCode(error);
  const text = messageOf(error);
  const known = states.find(([state]) => code !== undefined && state.test(code));
  if (known) return { code: known[1], subject: /"([^"]+)"/.exec(text)?.[1] };
  if (/read timeout/.test(text)) return { code: "E_SOURCE_TIMEOUT" };
  if (/does not support SSL/.test(text)) return { code: "E_SOURCE_TLS" };
  if (/terminated|timeout expired|timeout exceeded|not queryable|Client was closed/.test(text))
    return { code: "E_SOURCE_UNREACHABLE" };
  if (/password must be a string|SASL/.test(text)) return { code: "E_SOURCE_LOGIN" };
  return networkFault(error);
}
