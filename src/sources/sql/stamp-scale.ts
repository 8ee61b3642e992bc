import { sql } from "kysely";
import { ParkError } from "#model";
import type { Column } from "./column.ts";
import { all, list } from "./compile.ts";
import type { Ask, Cell, Engine } from "./engine.ts";
import type { Layout } from "./layout.ts";
import type { SqlRead, StampColumns } from "./read.ts";
import { dayMs, detectFormat, nativeFormat, secondMs, type StampFormat } from "./stamp-format.ts";
import type { ScaleMs } from "./stamp-text.ts";
import { detectTimeFormat, type TimeFormat } from "./time-format.ts";
import { compareTuple } from "./tuple.ts";

/** One or two stamp columns as one scale of time. */
export interface StampScale {
  readonly scale: "utc" | "wall";
  readonly grainMs: number;
  write(at: ScaleMs): readonly Cell[];
  parse(cells: readonly Cell[]): ScaleMs | undefined;
}

/**
 * How the stream's stamps are written: by the column's type, or by the newest stamp where the type is text or a number.
 * Undefined when no row has one yet.
 * @throws {ParkError} E_SOURCE_STAMP when the column holds something else.
 */
export async function stampScale(
  engine: Engine,
  layout: Layout,
  read: { changed: StampColumns; stampFormat: SqlRead["stampFormat"] },
  ask: Ask,
): Promise<StampScale | undefined> {
  const native = layout.marks.map(nativeOf);
  const sample = native.some((one) => one === undefined) ? await newest(engine, layout, ask) : undefined;
  if (native.includes(undefined) && !sample) return undefined;
  const [dateColumn, timeColumn] = layout.marks;
  const date = native[0] ?? detectFormat(sample?.[0] ?? null, read.stampFormat);
  if (!date) throw noStamp(layout, dateColumn!, sample?.[0] ?? null, read.stampFormat);
  if (typeof read.changed === "string")
    return { ...date, write: (at) => [date.write(at)], parse: ([cell]) => date.parse(cell ?? null) };
  const time = timeOf(timeColumn!, sample?.[1] ?? null, read.changed.timeFormat);
  if (!time) throw noStamp(layout, timeColumn!, sample?.[1] ?? null, read.changed.timeFormat);
  return twoColumns(date, time);
}

function twoColumns(date: StampFormat, time: TimeFormat): StampScale {
  return {
    scale: "wall",
    grainMs: 60 * secondMs,
    write(at) {
      const day = Math.floor(at / dayMs) * dayMs;
      return [date.write(day), time.write(at - day)];
    },
    parse([dateCell, timeCell]) {
      const day = date.parse(dateCell ?? null);
      const ofDay = time.parse(timeCell ?? null);
      return day === undefined || ofDay === undefined ? undefined : day + ofDay;
    },
  };
}

function nativeOf(column: Column): StampFormat | undefined {
  if (column.kind === "instant") return nativeFormat("utc", column.type === "timestamp" ? "" : "+00:00");
  if (column.kind === "datetime") return nativeFormat("wall", "");
  if (column.kind === "date") return nativeFormat("wall", "", dayMs);
  if (column.kind === "time") return nativeFormat("wall", "");
  return undefined;
}

function timeOf(column: Column, sample: Cell, wanted: "auto" | "hhmmss" | "hhmm" | "seconds"): TimeFormat | undefined {
  return detectTimeFormat(column.kind === "time" ? "00:00:00" : sample, wanted);
}

/** The highest stamp, or the highest up to `upTo`. */
export async function newest(
  engine: Engine,
  layout: Layout,
  ask: Ask,
  upTo?: readonly Cell[],
): Promise<readonly Cell[] | undefined> {
  const names = layout.marks.map((column, at) => sql`${engine.exact(column)} as ${sql.id(`c${at}`)}`);
  // Empty texts come last, so only a column that holds nothing else gives one.
  const set = layout.marks.map(
    (column) => sql`not ${engine.unset(column, column.kind === "text" ? "time" : undefined)}`,
  );
  const conditions = [layout.condition, ...set];
  if (upTo) conditions.push(compareTuple(engine, layout.marks, "<=", upTo));
  const order = list(layout.marks.map((column) => sql`${sql.id(column.name)} desc`));
  const { rows } = await ask(
    sql`select ${list(names)} from ${layout.from} where ${all(conditions)} order by ${order} ${engine.limit(1)}`,
  );
  return rows[0];
}

export function noStamp(layout: Layout, column: Column, cell: Cell, wanted: string): ParkError {
  const holds = cell instanceof Uint8Array ? "bytes" : JSON.stringify(String(cell));
  return new ParkError(
    "E_SOURCE_STAMP",
    `column ${column.name} of ${layout.label} holds ${holds}, which is no stamp` +
      (wanted === "auto" ? "" : ` of the format ${wanted}`),
    { details: { table: layout.label, column: column.name, type: column.type, format: wanted } },
  );
}
