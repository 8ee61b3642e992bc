import { ParkError, type Clock } from "#model";
import type { Logger } from "#telemetry";
import { earliestWall, latestWall } from "../../time/window.ts";
import type { RunQuery, SqlCell, Column, Engine, ServerMoment } from "../engines/engine.ts";
import type { TableLayout } from "../read/layout.ts";
import { Oddity, markPlace, said } from "../read/oddity.ts";
import { compareTuple } from "../read/tuple.ts";
import { sql, type StampText } from "../sql-text.ts";
import { restoredCells, storedCells, type Phase, type Settled } from "./cursor.ts";
import type { Begun, Bounds, RowCondition, Marker, NewRows } from "./marker.ts";
import { fromStamp, proveByStamp } from "./prove-stamp.ts";
import { settle } from "./settle.ts";
import { secondMs } from "./stamp-format.ts";
import { newest, type StampScale } from "./stamp-scale.ts";

/** A stamp this far beyond the server's clock does not belong to a row that changed while the poll was running. */
const futureMs = 60_000;
/** How long a transaction may hold the mark back before it is logged. */
const heldBackMs = 3_600_000;

export interface StampMarkerOptions {
  readonly engine: Engine;
  readonly layout: TableLayout;
  /** Undefined while no row has a stamp. */
  readonly scale: StampScale | undefined;
  readonly zone: string;
  readonly overlapMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly ask: RunQuery;
}

interface Window {
  readonly bounds: Bounds;
  /** Where the window begins, on the stamps' scale. */
  readonly from: number;
  /** Set if the window begins right after this stamp instead of at `from`. */
  readonly since: readonly SqlCell[] | undefined;
  /** The highest stamp of the previous poll. */
  readonly highest: number | undefined;
  /** Where the window would begin by the overlap alone. */
  readonly overlapped: number;
  readonly to: number;
  /** Whether stamps came below the overlap lately. */
  readonly isLate: boolean;
}

/**
 * Selects rows by their change stamp, in the window `[mark - overlap, the server's clock]`. Each poll also reads rows without a
 * stamp, and rows with a stamp in the future, because any of them may have changed. Unchanged ones cost nothing, because of their
 * hash.
 */
export class StampMarker implements Marker {
  readonly #options: StampMarkerOptions;
  readonly #begunAt: number;
  readonly columns;
  readonly phases: readonly Phase[];
  readonly wall: boolean;
  #windowOf: Window | undefined;
  #noted = false;
  /** The highest stamp when this poll began; undefined if there was none, and in a poll that was resumed. */
  #top: readonly SqlCell[] | undefined;
  /** The same on the stamps' scale; infinite where it is unknown. */
  #topAt = Infinity;
  #isTopShown = false;

  constructor(options: StampMarkerOptions) {
    this.#options = options;
    this.#begunAt = options.clock.now();
    this.columns = options.layout.marks;
    this.wall = options.scale?.scale === "wall";
    this.phases = options.scale ? ["unset", "window", "future"] : ["unset"];
  }

  /**
   * Returns how to find new rows. Once the window begins right after the highest stamp, new stamps lie above it however late it is
   * by now, so the mark need not move.
   */
  news(before: Settled): NewRows | undefined {
    const { scale, overlapMs } = this.#options;
    if (!scale || before.mark === null || before.pending) return undefined;
    const notBeforeMs = Date.parse(before.mark) - overlapMs;
    const bounds = { lower: iso(notBeforeMs), upper: before.mark, since: before.highest, after: before };
    const { above } = this.condition("window", bounds);
    const { since } = this.#window(scale, bounds);
    if (!since || !above) return undefined;
    const known = fromStamp({ ...this.#options, scale }, since);
    return { conditions: [above, ...this.condition("unset", bounds).others], known, notBeforeMs };
  }

  async begin(before: Settled): Promise<Begun> {
    const { engine, ask, overlapMs, layout, logger } = this.#options;
    const moment = await engine.moment(ask);
    const lower = before.mark === null ? null : iso(Date.parse(before.mark) - overlapMs);
    const bounds = { lower, upper: iso(moment.atMs), since: before.highest, after: this.#after(before, moment) };
    const backMs = before.mark === null ? 0 : Date.parse(before.mark) - moment.atMs;
    if (backMs > overlapMs) logger.warn({ table: layout.label, backMs }, "server clock went back, table is read whole");
    return { bounds: await this.#withHighest(bounds, before, moment), expired: backMs > overlapMs };
  }

  condition(phase: Phase, bounds: Bounds): RowCondition {
    const { engine, scale, layout } = this.#options;
    const unset = sql.join(
      layout.marks.map((column, at) => engine.unset(column, textOf(column, scale?.write(0)[at], at))),
      sql` or `,
    );
    if (phase === "unset" || !scale) return { others: [sql`(${unset})`] };
    // A date alone lies within a window of both columns. Such a row counts as one without a stamp.
    const set = layout.marks.length === 1 ? [] : [sql`not (${unset})`];
    if (phase === "future")
      return { above: compareTuple(engine, layout.marks, ">", scale.write(this.#future(scale, bounds))), others: set };
    const { from, since, to } = this.#window(scale, bounds);
    const above = since
      ? compareTuple(engine, layout.marks, ">", since)
      : compareTuple(engine, layout.marks, ">=", scale.write(from));
    return { above, others: [compareTuple(engine, layout.marks, "<=", scale.write(to)), ...set] };
  }

  verify(phase: Phase, bounds: Bounds, marks: readonly SqlCell[], key: string): Oddity | undefined {
    const { scale, layout } = this.#options;
    const says = marks.every((cell) => cell !== null && cell !== "");
    if (!scale || (phase === "unset" && !says) || (phase === "whole" && !says)) return undefined;
    const at = scale.parse(marks);
    if (at === undefined && phase === "unset" && marks.some((cell) => String(cell).startsWith("0000-00-00")))
      return undefined;
    if (at === undefined)
      return new Oddity(markPlace(layout), `${marks.map(said).join(" ")} is no stamp of the other rows' format`);
    if (phase !== "window") return undefined;
    if (at >= this.#topAt) this.#isTopShown = true;
    const { from, overlapped, to, highest = -Infinity } = this.#window(scale, bounds);
    if (at >= from - scale.grainMs && at <= to + scale.grainMs) {
      if (at < overlapped - scale.grainMs && at > highest) this.#noteLate(key);
      return undefined;
    }
    throw new ParkError(
      "E_SOURCE_FILTER_IGNORED",
      `${layout.label} gave the row ${key} with the stamp ${marks.join(" ")}, outside the window that was asked for`,
      { details: { table: layout.label, key, lower: bounds.lower, upper: bounds.upper } },
    );
  }

  async prove(bounds: Bounds): Promise<void> {
    const { scale } = this.#options;
    if (!scale) return;
    const { to, isLate } = this.#window(scale, bounds);
    // A window that looks back further shows that row even where the database compares with a somewhat later bound.
    if (this.#isTopShown && !isLate) return;
    await proveByStamp({ ...this.#options, scale }, scale.write(to), this.#top);
  }

  /**
   * Moves the mark. If the transactions that were open at the start are known, it waits for them; otherwise the overlap must cover
   * them.
   */
  #after(before: Settled, moment: ServerMoment): Settled {
    const { logger, layout } = this.#options;
    const now = iso(moment.atMs);
    if (!moment.open) return { mark: now };
    const after = settle(before, { mark: now, atMs: moment.atMs, open: moment.open }, 0);
    if (after.mark === null) return { ...after, mark: iso(Math.min(moment.atMs, moment.oldestMs ?? moment.atMs)) };
    if (after.pending && moment.atMs - after.pending.atMs > heldBackMs)
      logger.warn({ table: layout.label, since: iso(after.pending.atMs) }, "open transaction held the mark back");
    return after;
  }

  /**
   * Remembers the highest stamp now: whatever the next poll finds above it is a change. While a transaction holds the mark, the
   * remembered stamp stays, too, because that transaction may have drawn a lower stamp than those that came since.
   */
  async #withHighest(bounds: Bounds, before: Settled, { atMs }: ServerMoment): Promise<Bounds> {
    const { engine, layout, scale, ask } = this.#options;
    if (!scale) return bounds;
    const { to, overlapped, highest: known } = this.#window(scale, bounds);
    const found = await newest(engine, layout, ask, scale.write(to));
    const at = found && scale.parse(found);
    this.#top = found;
    this.#topAt = at ?? Infinity;
    const isLate = at !== undefined && at < overlapped - scale.grainMs && (known === undefined || at > known);
    const lateAtMs = isLate ? atMs : before.lateAtMs;
    const isHeld = bounds.after.mark === before.mark && before.highest !== undefined;
    const highest = isHeld ? before.highest : found && storedCells(found);
    return { ...bounds, after: { ...bounds.after, highest, lateAtMs } };
  }

  /**
   * Computes the window on the stamps' own scale. It begins at the overlap or, if nothing was written since, right after the
   * highest stamp of the previous poll. So even a clock that is behind by more than the overlap, or a wrong time zone, loses
   * nothing. If stamps came below the overlap, it begins one overlap before that highest stamp, because others may have been drawn
   * before it and committed after it. If there was no stamp at all, it begins with the first.
   */
  #window(scale: StampScale, bounds: Bounds): Window {
    if (this.#windowOf?.bounds === bounds) return this.#windowOf;
    const lower = bounds.lower === null ? undefined : Date.parse(bounds.lower);
    const upper = Date.parse(bounds.upper);
    const wall = scale.scale === "wall";
    const { zone, overlapMs } = this.#options;
    const lowest = lower === undefined ? 0 : wall ? earliestWall(lower, zone) : lower;
    const overlapped = Math.floor(lowest / secondMs) * secondMs;
    // A whole second above the clock, because a stamp with a fraction is a longer text than the bound of its own second.
    const to = Math.floor((wall ? latestWall(upper, zone) : upper) / secondMs + 1) * secondMs;
    const since = bounds.since && restoredCells(bounds.since);
    const highest = since && scale.parse(since);
    const { lateAtMs } = bounds.after;
    const isLate = lateAtMs !== undefined && lower !== undefined && lower < lateAtMs;
    const begin = highest === undefined ? 0 : isLate ? highest - overlapMs : highest;
    const isQuiet = highest !== undefined && !isLate && highest < overlapped - scale.grainMs;
    const from = isQuiet ? begin : Math.min(begin, overlapped);
    this.#windowOf = { bounds, from, since: isQuiet ? since : undefined, highest, overlapped, to, isLate };
    return this.#windowOf;
  }

  /** Warns once per poll that the overlap alone would have lost a change. */
  #noteLate(key: string): void {
    if (this.#noted) return;
    this.#noted = true;
    this.#options.logger.warn({ table: this.#options.layout.label, key }, "change was stamped below the overlap");
  }

  /**
   * Returns where the future begins. Rows that changed while this poll ran are left to the next one. Otherwise a busy table would
   * never let it end.
   */
  #future(scale: StampScale, bounds: Bounds): number {
    const elapsed = this.#options.clock.now() - this.#begunAt;
    const at = Date.parse(bounds.upper) + futureMs + elapsed;
    return scale.scale === "wall" ? latestWall(at, this.#options.zone) : at;
  }
}

/**
 * What a text column is used for: dates come first, times of day second. Undefined for numbers and types of the database's own.
 * While no stamp shows the format (`like`), only "" counts as not set.
 */
function textOf(column: Column, like: SqlCell | undefined, at: number): StampText | undefined {
  const text = column.kind === "text" || column.kind === "any" || column.kind === "any-datetime";
  if (!text || (like !== undefined && typeof like !== "string")) return undefined;
  return at === 0 && like !== undefined ? "date" : "time";
}

function iso(atMs: number): string {
  return new Date(atMs).toISOString();
}
