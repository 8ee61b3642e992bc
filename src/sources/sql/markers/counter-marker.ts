import { ParkError } from "#model";
import {
  scalar,
  type RunQuery,
  type SqlCell,
  type Column,
  type Engine,
  type ServerCounters,
} from "../engines/engine.ts";
import type { TableLayout } from "../read/layout.ts";
import { Oddity, markPlace, said } from "../read/oddity.ts";
import type { Phase, Settled } from "./cursor.ts";
import type { Begun, Bounds, RowCondition, Marker } from "./marker.ts";
import { settle } from "./settle.ts";
import { sql } from "../sql-text.ts";

export interface Ceiling {
  /** Everything up to here is committed and visible. */
  readonly highest: bigint;
  /** Changes below this are forgotten; undefined if none are. */
  readonly lowest: bigint | undefined;
}

export interface CounterMarkerOptions {
  readonly engine: Engine;
  readonly layout: TableLayout;
  /** What the database knows about a counter; undefined for a sequence, whose uncommitted numbers cannot be read. */
  readonly ceiling: (() => Promise<Ceiling>) | undefined;
  /** Called when the database no longer knows what happened since the mark. */
  readonly onForgotten?: (() => void) | undefined;
  /** True for a log, from which the ERP removes rows when it is done with them. Rows of a table of records stay. */
  readonly isLog: boolean;
  readonly overlapMs: number;
  readonly ask: RunQuery;
}

/**
 * Selects rows by a number that grows with each change. Numbers are drawn before they are committed. SQL Server knows the lowest
 * one in flight. With a sequence, the mark waits until the transactions that were open have ended (see {@link settle}).
 */
export class CounterMarker implements Marker {
  readonly #options: CounterMarkerOptions;
  readonly columns;
  readonly phases: readonly Phase[] = ["unset", "window"];
  readonly wall = false;

  constructor(options: CounterMarkerOptions) {
    this.#options = options;
    this.columns = options.layout.marks;
  }

  async begin(before: Settled): Promise<Begun> {
    const { mark: lower } = before;
    const { ceiling } = this.#options;
    if (!ceiling) return { bounds: await this.#sequence(before), expired: false };
    const { highest, lowest } = await ceiling();
    // A counter that went back belongs to a restored database, whose rows went back with it.
    const expired = lower !== null && (isForgotten(lower, lowest) || BigInt(lower) > highest);
    if (expired) this.#options.onForgotten?.();
    return { bounds: { lower, upper: String(highest), after: { mark: String(highest) } }, expired };
  }

  async wasWhole({ lower }: Bounds): Promise<boolean> {
    const ceiling = await this.#options.ceiling?.();
    if (!ceiling || lower === null || !isForgotten(lower, ceiling.lowest)) return true;
    this.#options.onForgotten?.();
    return false;
  }

  async #sequence(before: Settled): Promise<Bounds> {
    const { engine, ask, overlapMs } = this.#options;
    const upper = await this.#highest();
    // After the highest number: a transaction that ends between the two then counts as ended, and its rows are read.
    const { atMs, open } = await engine.moment(ask);
    const patienceMs = open && engine.exactSequence ? 0 : overlapMs;
    // The ERP emptied the log, and may have numbered its rows from 1 again.
    const isOlder = this.#options.isLog && before.mark !== null && BigInt(upper) < BigInt(before.mark);
    const lower = isOlder ? null : before.mark;
    return { lower, upper, after: settle(before, { mark: upper, atMs, open }, patienceMs) };
  }

  condition(phase: Phase, bounds: Bounds): RowCondition {
    const { engine, layout } = this.#options;
    const [column] = layout.marks;
    const name = sql.id(column!.name);
    if (phase === "unset") return { others: [sql`${name} is null`] };
    const upper = sql`${name} <= ${engine.bound(BigInt(bounds.upper), column!)}`;
    const { lower } = bounds;
    const above = lower === null ? undefined : sql`${name} > ${engine.bound(BigInt(lower), column!)}`;
    return { above, others: [upper] };
  }

  verify(phase: Phase, bounds: Bounds, marks: readonly SqlCell[], key: string): Oddity | undefined {
    const { layout } = this.#options;
    const [cell] = marks;
    if (cell === null || cell === undefined) return undefined;
    if (!/^\d+$/.test(String(cell))) return new Oddity(markPlace(layout), `${said(cell)} is no counter`);
    if (phase !== "window") return undefined;
    const value = BigInt(String(cell));
    if (value <= BigInt(bounds.upper) && (bounds.lower === null || value > BigInt(bounds.lower))) return undefined;
    throw new ParkError(
      "E_SOURCE_FILTER_IGNORED",
      `${layout.label} gave the row ${key} with the counter ${value}, outside the window that was asked for`,
      { details: { table: layout.label, key, lower: bounds.lower, upper: bounds.upper } },
    );
  }

  async #highest(): Promise<string> {
    const { ask, layout } = this.#options;
    const column = layout.marks[0]!;
    const { rows } = await ask(sql`select max(${sql.id(column.name)}) from ${layout.from} where ${layout.condition}`);
    const highest = rows[0]?.[0] ?? 0;
    const isText = column.kind === "text" || (column.kind === "any" && typeof highest === "string");
    if (isText && highest !== 0) throw textCounter(layout, column, highest);
    return String(highest);
  }
}

function isForgotten(mark: string, lowest: bigint | undefined): boolean {
  return lowest !== undefined && BigInt(mark) < lowest;
}

/** In a text column 9 is the highest of 9 and 10, so every later number would be missed. */
function textCounter(layout: TableLayout, column: Column, highest: SqlCell): ParkError {
  return new ParkError(
    "E_SOURCE_COUNTER",
    `the counter ${column.name} of ${layout.label} is text (${said(highest)}), in which 10 comes before 9: new rows would be missed. ` +
      "Read a view or a `query` that casts it to a number",
    { details: { table: layout.label, column: column.name } },
  );
}

/** @throws {ParkError} E_SOURCE_COUNTER when the database has no such counters. */
export function serverCounters(engine: Engine, wanted: string): ServerCounters {
  if (engine.counters) return engine.counters;
  throw new ParkError("E_SOURCE_COUNTER", `only SQL Server has ${wanted}, and this database is ${engine.name}`);
}

export async function rowversionCeiling(counters: ServerCounters, ask: RunQuery): Promise<Ceiling> {
  return { highest: BigInt(String(await scalar(ask, counters.rowversionCeiling))), lowest: undefined };
}

/** @throws {ParkError} E_SOURCE_TRACKING when change tracking is off for the table, or the user may not see it. */
export async function trackingCeiling(counters: ServerCounters, table: string, ask: RunQuery): Promise<Ceiling> {
  const { rows } = await ask(counters.trackedVersions(table));
  const [current = null, lowest = null] = rows[0] ?? [];
  if (current === null || lowest === null)
    throw new ParkError("E_SOURCE_TRACKING", `change tracking of ${table} is not enabled, or the user may not see it`, {
      details: { table },
    });
  return { highest: BigInt(String(current)), lowest: BigInt(String(lowest)) };
}
