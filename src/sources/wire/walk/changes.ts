import type { Change, ChangeBatch, Cursor, Json, UnreadableRow } from "#model";
import type { Logger } from "#telemetry";
import type { ServerClock } from "../client/server-clock.ts";
import type { WireRow, WireTable } from "../table.ts";
import { PRECISIONS } from "../stamps/stamp-format.ts";
import { wallFrom, wallUntil, type Wall, type WallRange } from "../stamps/wall.ts";
import { walkByKey } from "./walk-keys.ts";
import { walkByStamp } from "./walk-stamps.ts";
import { cursorJson, parseWholeCursor, parseWireCursor, type OpenWindow } from "./wire-cursor.ts";

/** One stamp of a stream, and the table as it is read by that stamp. Most streams have one track; some ERPs need a second. */
export interface Track {
  readonly table: WireTable;
  /** The precision of the stamp on the wire, in microseconds. */
  readonly unit: number;
  /** The zone of the clock that writes the stamp. */
  readonly zone: string;
  /** Whether each poll also reads rows without a stamp. */
  readonly nulls: boolean;
}

export interface PollTimes {
  readonly clock: ServerClock;
  /** How far before the last poll's beginning a poll begins: as long as the longest transaction that may commit late. */
  readonly overlapMs: number;
  /** How far behind the server's clock a poll is assumed to begin. */
  readonly marginMs: number;
}

export interface Stamped {
  /** All rows of the stream, whatever their stamps. */
  readonly table: WireTable;
  readonly tracks: readonly Track[];
  readonly times: PollTimes;
  readonly logger: Logger;
}

/** More than the difference between any two zones. */
const ZONES_APART: Wall = 2 * PRECISIONS.day;

/**
 * Yields every change after `cursor`, as `SourceStream.changes` promises. The first read goes by key if keys can be compared, so
 * that empty and odd stamps are read too. Later reads go by stamp, oldest first per track. They begin where the server's clock
 * stood when the previous read began, less the overlap, or earlier if that clock was set back. If nothing was written within the
 * overlap, they begin right after the highest known stamp, so that a clock that stamps too early, or a wrong time zone, loses
 * nothing.
 * No request has an upper bound: a row stamped in the future is read at once, and again until that time is past.
 */
export async function* changesByStamp(
  stamped: Stamped,
  cursor: Cursor | null,
  signal: AbortSignal,
): AsyncGenerator<ChangeBatch> {
  const { read, first, window, highest: begun = [], ...before } = parseWireCursor(cursor);
  let { lateAt } = before;
  if (cursor !== null)
    for (const { reader } of [stamped.table, ...stamped.tracks.map(({ table }) => table)]) reader?.trust();
  const { times, logger } = stamped;
  const { clock, marginMs, overlapMs } = times;
  const now = (): number => clock.now() - marginMs;
  let to = first?.to ?? window?.to ?? now();
  const highest = stamped.tracks.map((_, index) => begun[index] ?? null);
  const note = (rows: readonly WireRow[], index: number): void => {
    const present = wallUntil(to, stamped.tracks[index]!.zone);
    for (const { stamp } of rows)
      if (stamp !== undefined && stamp <= present) highest[index] = Math.max(stamp, highest[index] ?? stamp);
  };
  if (read === null && stamped.table.keyset) {
    for await (const { rows, next } of walkByKey(stamped.table, { kind: "all" }, first?.after, signal)) {
      // Answers may show that the server's clock is behind our estimate.
      to = Math.min(to, now());
      note(rows, 0);
      const resume = next === undefined ? { read: to } : { read, first: { to, after: next } };
      if (rows.length > 0) yield { ...readOf(rows), cursor: cursorJson({ ...resume, highest }) };
    }
    yield { changes: [], cursor: cursorJson({ read: to, highest }) };
    return;
  }
  const from = read === null ? undefined : Math.min(read, to) - overlapMs;
  const isLate = lateAt !== undefined && from !== undefined && from < lateAt;
  let open: OpenWindow = window ?? { to, track: 0 };
  for (const [index, track] of stamped.tracks.entries()) {
    if (index < open.track) continue;
    const overlapped = from === undefined ? undefined : wallFrom(from, track.zone, track.unit);
    const known = begun[index];
    const range = beginning(track, overlapped, known, isLate ? overlapMs : undefined);
    let late: WireRow | undefined;
    for await (const step of stepsOf(track, index, range, open, signal)) {
      to = Math.min(to, now());
      open = { ...step.open, to };
      note(step.rows, index);
      // After a first read, the stamps of other tracks are unknown, so new ones may be old.
      if (overlapped !== undefined && late === undefined && (known !== null || index === 0)) {
        late = step.rows.find(({ stamp = overlapped }) => stamp < overlapped && stamp > (known ?? -Infinity));
        if (late) {
          lateAt = to;
          logger.warn({ table: track.table.name, key: late.key }, "change was stamped below the overlap");
        }
      }
      if (step.rows.length > 0)
        yield { ...readOf(step.rows), cursor: cursorJson({ read, window: open, highest: begun, lateAt }) };
    }
    open = { to, track: index + 1 };
  }
  yield { changes: [], cursor: cursorJson({ read: to, highest, lateAt }) };
}

/**
 * Returns where a track's window begins: at the overlap, or right after the highest known stamp, whichever is earlier. If no stamp
 * was seen yet, it begins earlier, because the first one may show that `timezone` is wrong. If new stamps came below the overlap,
 * others may have been assigned before them and may come later: it then begins `lateMs`, which is the overlap, before the highest.
 */
function beginning(
  { unit }: Track,
  overlapped: Wall | undefined,
  highest: Wall | null | undefined,
  lateMs: number | undefined,
): WallRange {
  if (overlapped === undefined) return {};
  if (highest === null) return { from: overlapped - ZONES_APART };
  const last = (highest ?? overlapped) - (lateMs ?? 0) * 1000;
  const after = (Math.floor(last / unit) + (lateMs === undefined ? 1 : 0)) * unit;
  return { from: Math.min(overlapped, after) };
}

interface TrackStep {
  readonly rows: readonly WireRow[];
  readonly open: OpenWindow;
}

async function* stepsOf(
  track: Track,
  index: number,
  range: WallRange,
  open: OpenWindow,
  signal: AbortSignal,
): AsyncGenerator<TrackStep> {
  const to = open.to;
  const resumed = open.track === index ? open : undefined;
  if (resumed?.nulls === undefined) {
    const present = wallUntil(to, track.zone);
    const steps = walkByStamp(track.table, range, track.unit, resumed?.place, signal, present);
    for await (const { rows, place, done } of steps) {
      const after = track.nulls ? { to, track: index, nulls: {} } : { to, track: index + 1 };
      yield { rows, open: done ? after : { to, track: index, place } };
    }
  }
  if (!track.nulls) return;
  for await (const { rows, next } of walkByKey(track.table, { kind: "null" }, resumed?.nulls?.after, signal))
    yield { rows, open: next === undefined ? { to, track: index + 1 } : { to, track: index, nulls: { after: next } } };
}

/** Yields the rows of a table without a stamp, which each poll reads whole. Unchanged rows are dropped later, by their hash. */
export async function* changesWhole(
  table: WireTable,
  cursor: Cursor | null,
  signal: AbortSignal,
): AsyncGenerator<ChangeBatch> {
  const after: Json | undefined = parseWholeCursor(cursor);
  if (after === undefined) table.reader?.forget();
  else table.reader?.trust();
  for await (const { rows, next } of walkByKey(table, { kind: "all" }, after, signal))
    yield { ...readOf(rows), cursor: { whole: next === undefined ? {} : { after: next } } };
}

/** Splits rows into changes and unreadable rows. */
function readOf(rows: readonly WireRow[]): Pick<ChangeBatch, "changes" | "unreadable"> {
  const changes: Change[] = [];
  const unreadable: UnreadableRow[] = [];
  for (const { key, row, odd } of rows)
    if (odd === undefined) changes.push({ kind: "upsert", key, row });
    else unreadable.push({ key, ...odd });
  return unreadable.length === 0 ? { changes } : { changes, unreadable };
}
