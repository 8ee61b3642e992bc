import { DAY_MS, ParkError } from "#model";
import type { RunQuery, SqlCell, Column, Engine } from "../engines/engine.ts";
import type { SqlRead, StampColumns } from "../read.ts";
import type { TableLayout } from "../read/layout.ts";
import { compareTuple } from "../read/tuple.ts";
import { allOf, sqlList, sql, type Sql } from "../sql-text.ts";
import { detectFormat, nativeFormat, secondMs, type ColumnStampFormat } from "./stamp-format.ts";
import type { ScaleMs } from "./stamp-text.ts";
import { detectTimeFormat, type TimeFormat } from "./time-format.ts";

/** How many of the newest stamps decide how stamps are written. */
const SAMPLES = 20;

/** One or two stamp columns as one time scale. */
export interface StampScale {
  readonly scale: "utc" | "wall";
  readonly grainMs: number;
  write(at: ScaleMs): readonly SqlCell[];
  parse(cells: readonly SqlCell[]): ScaleMs | undefined;
}

/**
 * Returns how the stream's stamps are written: by the column's type or, for text and numbers, by the newest stamps. Undefined when
 * no row has one yet.
 * @throws {ParkError} E_SOURCE_STAMP when the column holds something else.
 */
export async function stampScale(
  engine: Engine,
  layout: TableLayout,
  read: { changed: StampColumns; stampFormat: SqlRead["stampFormat"] },
  ask: RunQuery,
): Promise<StampScale | undefined> {
  const native = layout.marks.map(nativeOf);
  const samples = native.includes(undefined) ? await newestRows(engine, layout, ask, SAMPLES) : [];
  if (native.includes(undefined) && samples.length === 0) return undefined;
  const [dateColumn, timeColumn] = layout.marks;
  const dateOf = valueOf(dateColumn!);
  const dates = samples.map(([cell]) => dateOf(cell));
  const date = native[0] ?? mostly(dates, (cell) => detectFormat(cell, read.stampFormat));
  if (!date) throw noStamp(layout, dateColumn!, dates[0] ?? null, read.stampFormat);
  if (typeof read.changed === "string")
    return { ...date, write: (at) => [date.write(at)], parse: ([cell]) => date.parse(dateOf(cell)) };
  const { timeFormat } = read.changed;
  const timeOf = valueOf(timeColumn!);
  const times = timeColumn!.kind === "time" ? ["00:00:00"] : samples.map(([, cell]) => timeOf(cell));
  const time = mostly(times, (cell) => detectTimeFormat(cell, timeFormat));
  if (!time) throw noStamp(layout, timeColumn!, times[0] ?? null, timeFormat);
  const scale = twoColumns(date, time);
  return { ...scale, parse: ([day, ofDay]) => scale.parse([dateOf(day), timeOf(ofDay)]) };
}

/**
 * Returns how to read a column's cells. Drivers return some numbers as text, to keep every digit. Every row of a poll is read this
 * way.
 */
function valueOf({ kind }: Column): (cell: SqlCell | undefined) => SqlCell {
  const isNumber = kind === "integer" || kind === "decimal" || kind === "float";
  return (cell = null) => (isNumber && typeof cell === "string" ? Number(cell) : cell);
}

function twoColumns(date: ColumnStampFormat, time: TimeFormat): StampScale {
  return {
    scale: "wall",
    grainMs: 60 * secondMs,
    write(at) {
      const day = Math.floor(at / DAY_MS) * DAY_MS;
      return [date.write(day), time.write(at - day)];
    },
    parse([dateCell, timeCell]) {
      const day = date.parse(dateCell ?? null);
      const ofDay = time.parse(timeCell ?? null);
      return day === undefined || ofDay === undefined ? undefined : day + ofDay;
    },
  };
}

function nativeOf(column: Column): ColumnStampFormat | undefined {
  if (column.kind === "instant") return nativeFormat("utc", column.type === "timestamp" ? "" : "+00:00");
  // SQL Server rounds smalldatetime to the minute, up as well as down, in stamps and bounds alike.
  if (column.kind === "datetime")
    return nativeFormat("wall", "", column.type === "smalldatetime" ? 60 * secondMs : secondMs);
  if (column.kind === "date") return nativeFormat("wall", "", DAY_MS);
  if (column.kind === "time") return nativeFormat("wall", "");
  return undefined;
}

/** Returns the format that most of the samples have, so that one odd row does not decide for all. */
function mostly<Format extends { parse(cell: SqlCell): unknown }>(
  samples: readonly SqlCell[],
  detect: (cell: SqlCell) => Format | undefined,
): Format | undefined {
  let most = 0;
  let chosen: Format | undefined;
  for (const sample of samples) {
    const format = detect(sample);
    const fitting = format ? samples.filter((cell) => format.parse(cell) !== undefined).length : 0;
    if (fitting > most) [most, chosen] = [fitting, format];
  }
  return chosen;
}

/** Returns the highest stamp, or the highest up to `upTo`. */
export async function newest(
  engine: Engine,
  layout: TableLayout,
  ask: RunQuery,
  upTo?: readonly SqlCell[],
): Promise<readonly SqlCell[] | undefined> {
  return (await newestRows(engine, layout, ask, 1, upTo))[0];
}

async function newestRows(
  engine: Engine,
  layout: TableLayout,
  ask: RunQuery,
  count: number,
  upTo?: readonly SqlCell[],
): Promise<readonly (readonly SqlCell[])[]> {
  return (await ask(selectNewest(engine, layout, { count, upTo }))).rows;
}

/** Selects the stamps of the rows with the highest ones, the highest first, and `also` after them. */
export function selectNewest(
  engine: Engine,
  layout: TableLayout,
  { count, upTo, also = [] }: { count: number; upTo?: readonly SqlCell[] | undefined; also?: readonly Sql[] },
): Sql {
  const names = layout.marks.map((column, at) => sql`${engine.exact(column)} as ${sql.id(`c${at}`)}`);
  // Empty texts sort last, so one is returned only if the column holds nothing else.
  const set = layout.marks.map(
    (column) => sql`not ${engine.unset(column, column.kind === "text" ? "time" : undefined)}`,
  );
  const conditions = [layout.condition, ...set];
  if (upTo) conditions.push(compareTuple(engine, layout.marks, "<=", upTo));
  const order = sqlList(layout.marks.map((column) => sql`${sql.id(column.name)} desc`));
  return sql`select ${sqlList([...names, ...also])} from ${layout.from} where ${allOf(conditions)} order by ${order} ${engine.limit(count)}`;
}

function noStamp(layout: TableLayout, column: Column, cell: SqlCell, wanted: string): ParkError {
  const holds = cell instanceof Uint8Array ? "bytes" : JSON.stringify(String(cell));
  return new ParkError(
    "E_SOURCE_STAMP",
    `column ${column.name} of ${layout.label} holds ${holds}, which is no stamp` +
      (wanted === "auto" ? "" : ` of the format ${wanted}`),
    { details: { table: layout.label, column: column.name, type: column.type, format: wanted } },
  );
}
