import { sql } from "kysely";
import { joinKey, ParkError, SyncError, type JsonObject, type Key, nearest } from "#model";
import { plainDecimal, type CellReader } from "./cells.ts";
import type { Column } from "./column.ts";
import { all, tableName } from "./compile.ts";
import type { Database } from "./database.ts";
import type { Cell, Sql } from "./engine.ts";

/** How many columns a message names. */
const NAMED_COLUMNS = 30;

/** What is read: a table, view or query with its condition, and which columns mean what. */
export interface LayoutRequest {
  readonly table?: string | undefined;
  readonly query?: string | undefined;
  readonly where?: string | undefined;
  readonly key: readonly string[];
  /** Stamp or counter columns. */
  readonly marks: readonly string[];
  /** Undefined: all. */
  readonly columns: readonly string[] | undefined;
}

/** A table as the database describes it right now. */
export interface Layout {
  /** What messages call it. */
  readonly label: string;
  readonly from: Sql;
  readonly condition: Sql;
  readonly key: readonly Column[];
  readonly marks: readonly Column[];
  /** Every column that is read; rows of cells have this order. */
  readonly columns: readonly Column[];
}

/**
 * Asks the database for the columns; one small statement.
 * @throws {ParkError} E_SOURCE_TABLE, E_SOURCE_COLUMN (both with the name that was probably meant), E_SOURCE_BINARY
 */
export async function describeLayout(database: Database, request: LayoutRequest, signal: AbortSignal): Promise<Layout> {
  const from = origin(request);
  const label = request.table ?? "the query";
  const known = await columnsOf(database, from, request.table, signal);
  const find = (name: string): Column => {
    const column = known.find((candidate) => candidate.name === name);
    if (column) return column;
    const names = known.map((candidate) => candidate.name);
    const meant = nearest(name, names);
    const hint = meant === undefined ? `it has ${names.slice(0, NAMED_COLUMNS).join(", ")}` : `did you mean ${meant}?`;
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
  const condition = request.where === undefined ? all([]) : sql`(${sql.raw(request.where)})`;
  return { label, from, condition, key, marks, columns };
}

function origin(request: LayoutRequest): Sql {
  if (request.query === undefined) return tableName(request.table!);
  return sql`(${sql.raw(request.query.replace(/;\s*$/, ""))}) as ${sql.id("source")}`;
}

async function columnsOf(
  database: Database,
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
  const binary = columns.filter(({ kind }) => kind === "binary").map(({ name }) => name);
  if (binary.length === 0) return;
  throw new ParkError(
    "E_SOURCE_BINARY",
    `${label} has binary columns (${binary.join(", ")}): list the columns to read in \`columns\`, without them`,
    { details: { table: label, columns: binary } },
  );
}

/**
 * A row's key; a decimal in it is written as rows show it, so that a child that names its parent by a column finds it.
 * @throws {ParkError} E_SOURCE_KEY_NULL when a part of the key is null: such a row has no identity.
 */
export function keyOf(layout: Layout, row: readonly Cell[]): Key {
  const parts = layout.key.map((column) => {
    const cell = row[layout.columns.indexOf(column)] ?? null;
    return column.kind === "decimal" && typeof cell === "string" ? plainDecimal(cell) : cell;
  });
  const empty = layout.key[parts.indexOf(null)];
  if (empty)
    throw new ParkError(
      "E_SOURCE_KEY_NULL",
      `${layout.label} has a row whose key column ${empty.name} is NULL: leave such rows out with \`where\``,
      { details: { table: layout.label, column: empty.name } },
    );
  return joinKey(parts);
}

/** The row as svcsync carries it. SQL Server's row version only counts changes and is left out. */
export function rowOf(layout: Layout, row: readonly Cell[], cells: CellReader): JsonObject {
  const result: JsonObject = {};
  layout.columns.forEach((column, at) => {
    if (column.kind !== "rowversion") result[column.name] = cells.read(row[at] ?? null, column);
  });
  return result;
}
