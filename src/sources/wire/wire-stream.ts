import {
  counted,
  errorFacts,
  ParkError,
  type Change,
  type ChangeBatch,
  type Cursor,
  type ErrorFacts,
  type Finding,
  type Key,
  type Row,
} from "#model";
import type { Logger } from "#telemetry";
import type { SourceStream } from "../source.ts";
import { assertAscending, assertInside } from "./walk/assertions.ts";
import { changesByStamp, changesWhole, type PollTimes, type Track } from "./walk/changes.ts";
import type { WireRow, WireTable } from "./table.ts";
import { memberKeys, memberReads, membersOf, type Members } from "./members.ts";
import { wallMicrosAt, wallText } from "./stamps/wall.ts";
import { proveByRows } from "./walk/prove-filter.ts";
import { walkComplete } from "./walk/walk-keys.ts";
import { repeated } from "./walk/read-rows.ts";
import { finding } from "./client/web-check.ts";

const FUTURE_MS = 600_000;
const RECENT_MS = 86_400_000;
/** A stream's polls stop when its odd rows exceed both of these (`pipeline/stage/quarantine.ts`). */
const FEW_ODD = 20;
const ODD_SHARE = 0.1;

/** What an adapter that speaks HTTP builds a stream from. */
export interface StreamDeps {
  /** The stream's name in the sync file. */
  readonly name: string;
  /** Reads the table by key: for sweeps, and for whole reads if there is no track. */
  readonly table: WireTable;
  /** Empty if the table has no change stamp. */
  readonly tracks: readonly Track[];
  readonly times: PollTimes;
  readonly logger: Logger;
  /** A feed of deletions. Its rows have the keys of the table's rows; for members it says nothing, and sweeps find what is gone. */
  readonly deletions?: Track;
  /** Whether the feed omits some deletions, which a sweep finds. */
  readonly hasSilentDeletions?: boolean;
  /** Set where the stream's records are members of a list inside the table's rows. */
  readonly members?: Members;
  readOne(key: Key, signal: AbortSignal): Promise<Row | undefined>;
  /** Present if reading many records together costs less. */
  readonly readMany?: (keys: readonly Key[], signal: AbortSignal) => Promise<ReadonlyMap<Key, Row>>;
}

/** Implements `SourceStream` for a table that is read over HTTP. */
export function wireStream(parts: StreamDeps): SourceStream {
  const { table, tracks, members, hasSilentDeletions = false } = parts;
  const deletions = feedOf(parts);
  const reads = members === undefined ? parts : memberReads(parts, members);
  const tables = [table, ...tracks.map((track) => track.table)];
  const rowChanges = (cursor: Cursor | null, signal: AbortSignal) =>
    tracks.length > 0 ? changesByStamp(parts, cursor, signal) : changesWhole(table, cursor, signal);
  const keysOf = (rows: readonly WireRow[]) =>
    members === undefined ? rows.map(({ key }) => key) : memberKeys(rows, members);
  return {
    capabilities: { deletions: deletions === undefined || hasSilentDeletions ? "sweep" : "feed" },
    changes: (cursor, signal) => {
      const changes = rowChanges(cursor, signal);
      return members === undefined ? changes : membersOf(changes, members, table.name);
    },
    readOne: (key, signal) => reads.readOne(key, signal),
    ...(reads.readMany === undefined ? {} : { readMany: reads.readMany }),
    async *keys(signal) {
      for (const { reader } of tables) reader?.forget();
      for await (const rows of walkComplete(table, { kind: "all" }, signal, "key")) yield keysOf(rows);
    },
    keyless: () => Promise.resolve(tables.flatMap(({ reader }) => reader?.keyless ?? []).slice(0, 1)),
    ...(deletions === undefined ? {} : deletionsOf(parts, deletions)),
    check: (signal) => checkStream(parts, signal),
  };
}

/** Returns the feed of deletions. There is none for members: its keys are those of the rows that hold them. */
function feedOf({ deletions, members }: StreamDeps): Track | undefined {
  return members === undefined ? deletions : undefined;
}

/**
 * The feed's deletions, and why it was refused. A key counts only while the ERP does not have the record, which may exist again under the
 * same key.
 */
function deletionsOf(parts: StreamDeps, track: Track): Required<Pick<SourceStream, "deletions" | "refusedDeletions">> {
  let refused: ErrorFacts | undefined;
  const reported = reportedBy(parts, track, (why) => (refused = why));
  return {
    refusedDeletions: () => refused,
    async *deletions(cursor, signal) {
      for await (const batch of reported(cursor, signal)) {
        const keys = batch.changes.map(({ key }) => key);
        const there = await parts.readMany?.(keys, signal);
        const changes: Change[] = [];
        for (const key of keys) {
          const isThere = there?.has(key) ?? (await parts.readOne(key, signal)) !== undefined;
          if (!isThere) changes.push({ kind: "delete", key });
        }
        yield { changes, cursor: batch.cursor };
      }
    },
  };
}

/** Reads the feed's rows: none if the ERP does not let this user read them and a sweep finds the same deletions, only later. */
function reportedBy(
  parts: StreamDeps,
  track: Track,
  refuse: (refused: ErrorFacts | undefined) => void,
): (cursor: Cursor | null, signal: AbortSignal) => AsyncGenerator<ChangeBatch> {
  const { times, logger } = parts;
  const feed = { table: track.table, tracks: [track], times, logger };
  return async function* (cursor, signal) {
    try {
      yield* changesByStamp(feed, cursor, signal);
      refuse(undefined);
    } catch (thrown) {
      if (!isReplaceable(parts, thrown)) throw thrown;
      refuse(errorFacts(thrown));
    }
  };
}

function isReplaceable({ hasSilentDeletions }: StreamDeps, thrown: unknown): thrown is ParkError {
  return hasSilentDeletions === true && thrown instanceof ParkError && thrown.code === "E_SOURCE_FORBIDDEN";
}

async function checkStream(parts: StreamDeps, signal: AbortSignal): Promise<Finding[]> {
  const { name, table, tracks, times } = parts;
  let first: readonly WireRow[] = [];
  const readable = await finding(`${name}: rows`, async () => {
    const { rows } = await table.byKey({ kind: "all" }, undefined, signal);
    first = rows;
    return rows.length === 0
      ? `${table.name} is empty`
      : `${table.name} can be read; a page has ${counted(rows.length, "row")}`;
  });
  // An error that keeps rows from being read would be reported again for each stamp.
  if (readable.verdict === "problem") return [readable];
  const findings = [readable, ...repeatedFindings(`${name}: key`, table, first)];
  for (const track of tracks) {
    const field = track.table.stampField;
    findings.push(...(await filterFindings(`${name}: ${field}`, track, times, signal)));
    findings.push(await futureFinding(`${name}: ${field} ahead`, track, times, signal));
  }
  return [...findings, ...(await feedFindings(parts, signal))];
}

/** Checks that the list of deletions can be read. If it cannot, and sweeps find the same deletions, that is a warning. */
async function feedFindings(parts: StreamDeps, signal: AbortSignal): Promise<Finding[]> {
  const { name, hasSilentDeletions = false } = parts;
  const deletions = feedOf(parts);
  if (deletions === undefined) return [];
  const { table } = deletions;
  const found = await finding(`${name}: deletions`, async () => {
    await table.byKey({ kind: "all" }, undefined, signal);
    return `${table.name} can be read`;
  });
  if (found.code !== "E_SOURCE_FORBIDDEN" || !hasSilentDeletions) return [found];
  return [
    {
      ...found,
      verdict: "warning",
      remedy: `Let the user read ${table.name}. Until then, only sweeps find deletions (SWEEP_INTERVAL_SECONDS).`,
    },
  ];
}

/** Reports a key that is not unique: it would make several rows of the ERP one record. */
function repeatedFindings(subject: string, table: WireTable, rows: readonly WireRow[]): Finding[] {
  const twice = rows.find(({ odd }) => odd?.reason === repeated);
  if (twice === undefined) return [];
  const code = "E_SOURCE_KEY_AMBIGUOUS";
  const message = `${table.name}: several rows of the first page have the key ${twice.key} and differ (${code})`;
  return [{ subject, verdict: "problem", message, code }];
}

/** Checks the filter on the last day's rows, and warns of odd rows. Each of those is parked alone, so it is no problem of the stream. */
async function filterFindings(
  subject: string,
  track: Track,
  times: PollTimes,
  signal: AbortSignal,
): Promise<Finding[]> {
  let odd: readonly WireRow[] = [];
  const result = await finding(subject, async () => {
    // Rows of all times show whether the field holds stamps at all. The few of the last day may well be odd.
    const { rows } = await track.table.byKey({ kind: "all" }, undefined, signal);
    const works = await checkFilter(track, times, signal, (found) => (odd = found));
    await proveByRows(track, rows, signal);
    return works;
  });
  const [first] = odd;
  if (result.verdict === "problem" || first?.odd === undefined) return [result];
  const { place, reason } = first.odd;
  const rows = counted(odd.length, "row");
  const message = `${rows} of the last 24 hours cannot be read: ${place} of ${first.key}: ${reason}`;
  const remedy = "Correct the row in the ERP. It is parked alone; all others are read.";
  return [result, { subject, verdict: "warning", message, remedy }];
}

/** Checks on the last day's rows that the filter works, that rows are sorted, and that stamps can be read. */
async function checkFilter(
  track: Track,
  times: PollTimes,
  signal: AbortSignal,
  setOdd: (rows: readonly WireRow[]) => void,
): Promise<string> {
  const { table, unit, zone } = track;
  const from = Math.floor(wallMicrosAt(times.clock.now() - RECENT_MS, zone) / unit) * unit;
  const page = table.sorted
    ? await table.byStamp({ from }, signal)
    : await table.byKey({ kind: "range", range: { from } }, undefined, signal);
  assertInside(table, page.rows, { from }, unit);
  const odd = page.rows.filter((row) => row.odd !== undefined);
  if (odd.length > FEW_ODD && odd.length > page.rows.length * ODD_SHARE)
    throw new ParkError(
      "E_SOURCE_STAMP",
      `${odd.length} of ${page.rows.length} rows of the last 24 hours cannot be read: ${odd[0]?.odd?.reason}`,
    );
  setOdd(odd);
  const last = table.sorted ? assertAscending(table, page.rows) : undefined;
  const newest = last === undefined ? "" : `, up to ${wallText(last)}`;
  return `filtering by ${table.stampField} works: ${counted(page.rows.length, "row")} of the last 24 hours on the first page${newest}`;
}

/** Warns of rows from the future: they indicate a wrong time zone, or a filter that does nothing. */
async function futureFinding(subject: string, track: Track, times: PollTimes, signal: AbortSignal): Promise<Finding> {
  const { table, unit, zone } = track;
  let ahead = 0;
  const result = await finding(subject, async () => {
    const from = Math.ceil(wallMicrosAt(times.clock.now() + Math.max(FUTURE_MS, unit / 500), zone) / unit) * unit;
    const scope = { kind: "range", range: { from } } as const;
    const { rows } = table.sorted ? await table.byStamp({ from }, signal) : await table.byKey(scope, undefined, signal);
    assertInside(table, rows, { from }, unit);
    ahead = rows.filter(({ stamp }) => stamp !== undefined).length;
    return "no row is stamped in the future";
  });
  if (ahead === 0 || result.verdict === "problem") return result;
  return {
    subject,
    verdict: "warning",
    message: `${counted(ahead, "row")} with a ${table.stampField} more than ten minutes ahead of the ERP's clock`,
    remedy: "Set the source's `timezone` to the zone in which the ERP writes its stamps.",
  };
}
