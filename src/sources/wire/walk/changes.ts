import type { Change, ChangeBatch, Cursor, Json, UnreadableRow } from "#model";
import type { Logger } from "#telemetry";
import type { ServerClock } from "../client/server-clock.ts";
import type { WireRow, WireTable } from "../table.ts";
import { PRECISIONS } from "../stamps/stamp-format.ts";
import { wallFrom, wallUntil, type Wall, type WallRange } from "../stamps/wall.ts";
import { KEPT, Known, showsKnown, type KnownRow } from "./known-rows.ts";
import { proveByKnown } from "./prove-filter.ts";
import { walkByKey } from "./walk-keys.ts";
import { walkByStamp } from "./walk-stamps.ts";
import { cursorJson, parseWholeCursor, parseWireCursor, type OpenWindow, type WireCursor } from "./wire-cursor.ts";

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
 * overlap, they begin at the highest known stamp, so that a clock that stamps too early, or a wrong time zone, loses nothing.
 * No request has an upper bound: a row stamped in the future is read at once, and again until that time is past.
 * Each of them must show the row with the highest known stamp, or a row that took its place; while new stamps come below the overlap, an
 * answer that begins with exactly that stamp must show it.
 * @throws {ParkError} E_SOURCE_FILTER_MISSES when the ERP still has that row and its filter leaves it out.
 */
export async function* changesByStamp(
  stamped: Stamped,
  cursor: Cursor | null,
  signal: AbortSignal,
): AsyncGenerator<ChangeBatch> {
  const begun = parseWireCursor(cursor);
  if (cursor !== null)
    for (const { reader } of [stamped.table, ...stamped.tracks.map(({ table }) => table)]) reader?.trust();
  yield* begun.read === null && stamped.table.keyset
    ? firstRead(stamped, begun, signal)
    : laterRead(stamped, begun, signal);
}

/** Reads the whole table by key. */
async function* firstRead(
  { table, tracks, times }: Stamped,
  { read, first, highest, newest }: WireCursor,
  signal: AbortSignal,
): AsyncGenerator<ChangeBatch> {
  const now = (): number => times.clock.now() - times.marginMs;
  let to = first?.to ?? now();
  const known = new Known(tracks, { highest, newest });
  for await (const { rows, next } of walkByKey(table, { kind: "all" }, first?.after, signal)) {
    // Answers may show that the server's clock is behind our estimate.
    to = Math.min(to, now());
    known.note(rows, 0, to);
    const resume = next === undefined ? { read: to } : { read, first: { to, after: next } };
    if (rows.length > 0) yield { ...readOf(rows), cursor: cursorJson({ ...resume, ...known.cursor }) };
  }
  yield { changes: [], cursor: cursorJson({ read: to, ...known.cursor }) };
}

/** Reads what is new by each stamp, beginning in the open window if there is one. */
async function* laterRead(stamped: Stamped, begun: WireCursor, signal: AbortSignal): AsyncGenerator<ChangeBatch> {
  const { read, window, highest = [], newest = [] } = begun;
  let { lateAt } = begun;
  const { times, logger } = stamped;
  const { clock, marginMs, overlapMs } = times;
  const now = (): number => clock.now() - marginMs;
  let to = window?.to ?? now();
  const known = new Known(stamped.tracks, begun);
  const from = read === null ? undefined : Math.min(read, to) - overlapMs;
  const isLate = lateAt !== undefined && from !== undefined && from < lateAt;
  let open: OpenWindow = window ?? { to, track: 0 };
  for (const [index, track] of stamped.tracks.entries()) {
    const overlapped = from === undefined ? undefined : wallFrom(from, track.zone, track.unit);
    const before: Before = { highest: highest[index], newest: newest[index] ?? [] };
    const { range, proof } = beginning(track, overlapped, before, isLate ? overlapMs : undefined);
    const expected = expectedOf(before, overlapped);
    let isShown = false;
    let late: WireRow | undefined;
    for await (const step of index < open.track ? [] : stepsOf(track, index, { range, proof }, open, signal)) {
      to = Math.min(to, now());
      open = { ...step.open, to };
      known.note(step.rows, index, to);
      isShown ||= expected !== undefined && showsKnown(step.rows, expected, track.unit);
      // After a first read, the stamps of other tracks are unknown, so new ones may be old.
      if (overlapped !== undefined && late === undefined && (before.highest !== null || index === 0)) {
        late = step.rows.find(({ stamp = overlapped }) => stamp < overlapped && stamp > (before.highest ?? -Infinity));
        if (late) {
          lateAt = to;
          logger.warn({ table: track.table.name, key: late.key }, "change was stamped below the overlap");
        }
      }
      const rows = proof === undefined ? step.rows : step.rows.filter((row) => !isKnown(row, before.newest));
      if (rows.length > 0)
        yield { ...readOf(rows), cursor: cursorJson({ read, window: open, highest, newest, lateAt }) };
    }
    // A poll that looks back further shows that row even where the filter leaves out its bound.
    if (expected !== undefined && (!isShown || isLate))
      known.settle(index, await proveByKnown(track, before.newest, signal));
    if (index >= open.track) open = { to, track: index + 1 };
  }
  yield { changes: [], cursor: cursorJson({ read: to, ...known.cursor, lateAt }) };
}

/** What earlier polls knew of one track. */
interface Before {
  readonly highest: Wall | null | undefined;
  readonly newest: readonly KnownRow[];
}

/**
 * Returns where a track's window begins: at the overlap, or at the highest known stamp, whichever is earlier. Where many rows share that
 * stamp, or rows cannot be sorted, it begins behind them. If no stamp was seen yet, it begins earlier, because the first one may show that `timezone` is wrong. If
 * new stamps came below the overlap, others may have been assigned before them and may come later: it then begins `lateMs`, which is the
 * overlap, before the highest. `proof` is the stamp whose rows are read again only to see that the filter shows them.
 */
function beginning(
  { unit, table }: Track,
  overlapped: Wall | undefined,
  { highest, newest }: Before,
  lateMs: number | undefined,
): { readonly range: WallRange; readonly proof?: Wall | undefined } {
  if (overlapped === undefined) return { range: {} };
  if (highest === null) return { range: { from: overlapped - ZONES_APART } };
  if (highest === undefined) return { range: { from: overlapped } };
  const at = Math.floor((highest - (lateMs ?? 0) * 1000) / unit) * unit;
  if (lateMs !== undefined || at >= overlapped) return { range: { from: Math.min(overlapped, at) } };
  const isShared = newest.filter(([, stamp]) => stamp >= at).length >= KEPT;
  return isShared || !table.sorted ? { range: { from: at + unit } } : { range: { from: at }, proof: at };
}

/** Whether a row is one of those that are known with this stamp. */
function isKnown({ key, stamp }: WireRow, newest: readonly KnownRow[]): boolean {
  return newest.some((known) => known[0] === key && known[1] === stamp);
}

/** The row that an answer must show: the highest known one, or any row with the highest stamp if its keys are not known. */
function expectedOf({ highest, newest }: Before, overlapped: Wall | undefined): KnownRow | undefined {
  if (overlapped === undefined || typeof highest !== "number") return undefined;
  return newest[0] ?? ["", highest];
}

interface TrackStep {
  readonly rows: readonly WireRow[];
  readonly open: OpenWindow;
}

async function* stepsOf(
  track: Track,
  index: number,
  { range, proof }: ReturnType<typeof beginning>,
  open: OpenWindow,
  signal: AbortSignal,
): AsyncGenerator<TrackStep> {
  const to = open.to;
  const resumed = open.track === index ? open : undefined;
  if (resumed?.nulls === undefined) {
    const present = wallUntil(to, track.zone);
    const steps = walkByStamp(track.table, range, track.unit, resumed?.place, signal, { present, known: proof });
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
