import { messageOf, joinKey, ParkError, SyncError, meantHint, type JsonObject, type Key } from "#model";
import type { SourceDatabase } from "../database.ts";
import type { SqlCell, Column } from "../engines/engine.ts";
import { allOf, sql, tableName, type Sql } from "../sql-text.ts";
import { plainDecimal, type CellReader } from "./cells.ts";
import { Oddity } from "./oddity.ts";

/** How many columns a message names. */
const NAMED_COLUMNS = 30;

/** What to read: a table, view or query with its condition, and which columns mean what. */
export interface LayoutRequest {
  readonly table?: string | undefined;
  readonly query?: string | undefined;
  readonly where?: string | undefined;
  readonly key: readonly string[];
  /** Stamp or counter columns. */
  readonly marks: readonly string[];
  /** Undefined means all. */
  readonly columns: readonly string[] | undefined;
}

/** A table as the database describes it now. */
export interface TableLayout {
  /** Its name in messages. */
  readonly label: string;
  readonly from: Sql;
  /** The condition of the rows that are meant, with or without a key. */
  readonly where: Sql;
  /** The condition of the rows that are read: those of `where` that have a key. */
  readonly condition: Sql;
  /**
   * The condition of the rows without a key; undefined if all have one. Such a row is no record, and databases disagree on where
   * NULL comes in an order.
   */
  readonly keyless: Sql | undefined;
  readonly key: readonly Column[];
  readonly marks: readonly Column[];
  /** Every column that is read, in the order of the cells of a row. */
  readonly columns: readonly Column[];
}

/**
 * Asks the database for the columns, with one small statement.
 * @throws {ParkError} E_SOURCE_TABLE, E_SOURCE_COLUMN (both with the name that was probably meant), E_SOURCE_BINARY
 */
export async function describeLayout(
  database: SourceDatabase,
  request: LayoutRequest,
  signal: AbortSignal,
): Promise<TableLayout> {
  const from = origin(request);
  const label = request.table ?? "the query";
  const known = await tableColumns(database, from, request.table, signal);
  const find = (name: string): Column => {
    const column = known.find((candidate) => candidate.name === name);
    if (column) return column;
    const names = known.map((candidate) => candidate.name);
    const hint = meantHint(name, names, NAMED_COLUMNS);
    throw new ParkError("E_SOURCE_COLUMN", `${label} has no column ${name}; ${hint}`, {
      details: { table: label, column: name, columns: names },
    });
  };
  const key = request.key.map(find);
  const marks = request.marks.map(find);
  const chosen = request.columns ? request.columns.map(find) : known;
  const columns = [...new Set([...chosen, ...key, ...marks])];
  refuseBinary(
    label,
    [...new Set([...chosen, ...key])].filter((column) => !marks.includes(column)),
  );
  const where = request.where === undefined ? allOf([]) : sql`(${sql.raw(request.where)})`;
  const isNull = key.map((column) => sql`${sql.id(column.name)} is null`);
  const isSet = key.map((column) => sql`${sql.id(column.name)} is not null`);
  return {
    label,
    from,
    where,
    condition: allOf([where, ...isSet]),
    keyless: sql`${where} and (${sql.join(isNull, sql` or `)})`,
    key,
    marks,
    columns,
  };
}

function origin(request: LayoutRequest): Sql {
  if (request.query === undefined) return tableName(request.table!);
  return sql`(${sql.raw(request.query.replace(/;\s*$/, ""))}) as ${sql.id("source")}`;
}

/** @throws {ParkError} E_SOURCE_TABLE, with the name that was probably meant. */
export async function tableColumns(
  database: Pick<SourceDatabase, "ask" | "suggestion" | "source">,
  from: Sql,
  table: string | undefined,
  signal: AbortSignal,
): Promise<readonly Column[]> {
  try {
    const { columns } = await database.ask(sql`select * from ${from} where 1 = 0`, signal);
    return columns;
  } catch (error) {
    if (!(error instanceof SyncError) || error.code !== "E_SOURCE_TABLE" || table === undefined) throw error;
    const meant = await database.suggestion(table, signal);
    throw new ParkError("E_SOURCE_TABLE", `source ${database.source} has no table ${table}${meant}`, {
      cause: error,
      details: { source: database.source, table },
    });
  }
}

function refuseBinary(label: string, columns: readonly Column[]): void {
  const binary = columns.filter(({ kind }) => kind === "binary");
  if (binary.length === 0) return;
  const named = binary.map(({ name, type }) => `${name} ${type}`).join(", ");
  throw new ParkError(
    "E_SOURCE_BINARY",
    `${label} has columns of types that are not read (${named}): list the columns to read in \`columns\`, without them`,
    { details: { table: label, columns: binary.map(({ name }) => name) } },
  );
}

/**
 * Returns how to read a row's key. A decimal in it is written as rows show it, so that a child that names its parent by a column
 * finds it.
 */
export function keyReader({ key, columns }: Pick<TableLayout, "key" | "columns">): (row: readonly SqlCell[]) => Key {
  const parts = key.map((column) => ({ at: columns.indexOf(column), isDecimal: column.kind === "decimal" }));
  return (row) =>
    joinKey(
      parts.map(({ at, isDecimal }) => {
        const cell = row[at] ?? null;
        if (cell instanceof Uint8Array) return Buffer.from(cell).toString("hex");
        return isDecimal && typeof cell === "string" ? plainDecimal(cell) : cell;
      }),
    );
}

/**
 * Returns how to read a row in svcsync's form, or why a row cannot be read. Leaves out SQL Server's row version, which only counts
 * changes.
 */
export function rowReader(
  { columns, label }: TableLayout,
  cells: CellReader,
): (row: readonly SqlCell[]) => JsonObject | Oddity {
  const read = columns.map((column, at) => ({ column, at })).filter(({ column }) => column.kind !== "rowversion");
  const hasProto = columns.some(({ name }) => name === "__proto__");
  return (row) => {
    // Unlike an assignment, an entry also creates a member for a column named __proto__.
    const members: JsonObject = hasProto ? Object.fromEntries(read.map(({ column }) => [column.name, null])) : {};
    for (const { column, at } of read) {
      try {
        members[column.name] = cells.read(row[at] ?? null, column);
      } catch (thrown) {
        const reason = messageOf(thrown);
        return new Oddity(`${label}, column ${column.name}`, reason);
      }
    }
    return members;
  };
}
