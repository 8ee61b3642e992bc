import type { Clock } from "#model";
import type { Logger } from "#telemetry";
import type { SourceDatabase } from "../database.ts";
import type { RunQuery } from "../engines/engine.ts";
import { CounterMarker, rowversionCeiling, serverCounters, trackingCeiling } from "../markers/counter-marker.ts";
import { fingerprint } from "../markers/cursor.ts";
import type { Marker } from "../markers/marker.ts";
import { StampMarker } from "../markers/stamp-marker.ts";
import { stampScale } from "../markers/stamp-scale.ts";
import { counterOf, stampColumnsOf, type CounterColumn, type SqlRead, type StampColumns } from "../read.ts";
import type { CellReader } from "./cells.ts";
import type { FeedOptions } from "./feed.ts";
import type { Keyless } from "./keyless.ts";
import { describeLayout, type TableLayout, type LayoutRequest } from "./layout.ts";
import { KeyLog, StreamTable } from "./records.ts";

/** What a stream knows about itself before it asks the database anything. */
export interface StreamContext {
  readonly database: SourceDatabase;
  readonly read: SqlRead;
  readonly zone: string;
  /** False if UTC is only assumed. */
  readonly zoneIsSet: boolean;
  readonly cells: CellReader;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly keyless: Keyless;
}

/** Describes the stream's own table again, so that the next poll notices a changed schema. */
export async function describeRecords(context: StreamContext, signal: AbortSignal): Promise<TableLayout> {
  const { read } = context;
  return await describeLayout(
    context.database,
    {
      table: read.table ?? read.view,
      query: read.query,
      where: read.where,
      key: read.key,
      marks: marksOf(read.changed),
      columns: read.columns,
    },
    signal,
  );
}

/** Returns everything that one poll for changed records needs. */
export async function changesFeed(context: StreamContext, signal: AbortSignal): Promise<FeedOptions> {
  const { database, read, cells, keyless } = context;
  const layout = await describeRecords(context, signal);
  const whole = new StreamTable(database, layout, cells);
  const common = { database, keyless, pageSize: read.pageSize, read: identity(read, "changes"), whole };
  const log = changeLog(context);
  if (log) return { ...common, increment: await readLog(context, log, whole, "upsert", signal) };
  const changed = stampColumnsOf(read.changed) ?? counterOf(read.changed);
  if (changed === undefined) return { ...common, increment: undefined };
  return { ...common, increment: { part: whole, marker: await markerOf(context, layout, changed, signal) } };
}

/** The same for deleted records: a log of keys, without those whose record exists (again). */
export async function deletionsFeed(context: StreamContext, signal: AbortSignal): Promise<FeedOptions> {
  const { database, read, cells, keyless } = context;
  const records = new StreamTable(database, await describeRecords(context, signal), cells);
  const log = deletionLog(context)!;
  const increment = await readLog(context, log, records, "delete", signal);
  const whole = increment.part;
  return { database, keyless, pageSize: read.pageSize, read: identity(read, "deletions"), whole, increment };
}

interface Log {
  readonly request: Pick<LayoutRequest, "table" | "query" | "key">;
  readonly changed: StampColumns | CounterColumn;
  /** The tracked table, if SQL Server itself keeps the log. */
  readonly tracked?: string;
}

/** Returns the table in which every change is recorded, if the stream has one. */
function changeLog({ read, database }: StreamContext): Log | undefined {
  const { outbox, changed } = read;
  if (outbox) return { request: outbox, changed: { counter: outbox.sequence, kind: "sequence" } };
  if (typeof changed !== "object" || !("changeTracking" in changed)) return undefined;
  const query = serverCounters(database.engine, "change tracking").trackedKeys(read.table!, read.key);
  return {
    request: { query, key: read.key },
    changed: { counter: "trackedVersion", kind: "sequence" },
    tracked: read.table!,
  };
}

function deletionLog(context: StreamContext): Log | undefined {
  const { deletions } = context.read;
  return deletions ? { request: deletions, changed: deletions.changed } : changeLog(context);
}

/** A table whose log SQL Server keeps, and shortens after its retention. */
interface Tracked {
  readonly table: string;
  readonly onForgotten: () => void;
}

/**
 * Returns how to log what was forgotten. Forgotten changes can be read again with the whole table; a forgotten deletion left no
 * trace.
 */
function forgotten({ logger, read }: StreamContext, tells: "upsert" | "delete"): () => void {
  const facts = { table: read.table };
  return tells === "upsert"
    ? () => logger.warn(facts, "change tracking forgot changes, table is read whole")
    : () => logger.error(facts, "change tracking forgot deletions");
}

async function readLog(
  context: StreamContext,
  log: Log,
  records: StreamTable,
  tells: "upsert" | "delete",
  signal: AbortSignal,
): Promise<NonNullable<FeedOptions["increment"]>> {
  const request = { ...log.request, marks: marksOf(log.changed), columns: [] };
  const described = await describeLayout(context.database, request, signal);
  // SQL Server logs primary keys, which are never NULL.
  const layout = log.tracked === undefined ? described : { ...described, keyless: undefined };
  const part = new KeyLog(layout, records, tells, signal);
  const tracked =
    log.tracked === undefined ? undefined : { table: log.tracked, onForgotten: forgotten(context, tells) };
  return { part, marker: await markerOf(context, layout, log.changed, signal, { tracked }) };
}

async function markerOf(
  context: StreamContext,
  layout: TableLayout,
  changed: StampColumns | CounterColumn,
  signal: AbortSignal,
  log?: { readonly tracked: Tracked | undefined },
): Promise<Marker> {
  const { database, read, zone, clock, logger } = context;
  const { engine } = database;
  const overlapMs = read.overlap;
  const ask: RunQuery = (query) => database.ask(query, signal);
  if (typeof changed === "object" && "counter" in changed)
    return new CounterMarker({
      engine,
      layout,
      overlapMs,
      ask,
      isLog: log !== undefined,
      ceiling: ceilingOf(context, changed, ask, log?.tracked?.table),
      onForgotten: log?.tracked?.onForgotten,
    });
  const scale = await stampScale(engine, layout, { changed, stampFormat: read.stampFormat }, ask);
  return new StampMarker({ engine, layout, scale, zone, overlapMs, clock, logger, ask });
}

function ceilingOf({ database }: StreamContext, changed: CounterColumn, ask: RunQuery, tracked: string | undefined) {
  const { engine } = database;
  if (tracked !== undefined) return () => trackingCeiling(serverCounters(engine, "change tracking"), tracked, ask);
  if (changed.kind === "sequence") return undefined;
  return () => rowversionCeiling(serverCounters(engine, "a rowversion"), ask);
}

function marksOf(changed: SqlRead["changed"]): readonly string[] {
  const stamp = stampColumnsOf(changed);
  if (typeof stamp === "object") return [stamp.date, stamp.time];
  if (stamp !== undefined) return [stamp];
  const counter = counterOf(changed);
  return counter ? [counter.counter] : [];
}

/**
 * Identifies the settings that a cursor depends on. Page size, overlap and columns may change without reading the stream from its
 * beginning.
 */
function identity(read: SqlRead, feed: "changes" | "deletions"): string {
  const { table, view, query, key, changed, outbox, deletions, where } = read;
  const log = feed === "changes" ? { changed, outbox } : { changed, outbox, deletions };
  return fingerprint({ feed, origin: table ?? view ?? query, key, where: where ?? "", ...log });
}
