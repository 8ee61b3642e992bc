import { isAscending, ParkError, type ChangeBatch, type Cursor, type Key } from "#model";
import type { SourceDatabase } from "../database.ts";
import { anyRow, type SqlCell, type Column } from "../engines/engine.ts";
import {
  parseCursor,
  restoredCells,
  storedCells,
  storedCursor,
  type Phase,
  type PollProgress,
  type Settled,
} from "../markers/cursor.ts";
import { rowConditions, everything, type Bounds, type RowCondition, type Marker } from "../markers/marker.ts";
import { allOf, sqlList, sql, type Sql } from "../sql-text.ts";
import type { Keyless } from "./keyless.ts";
import { keyReader, type TableLayout } from "./layout.ts";
import type { Oddity } from "./oddity.ts";
import { readPages } from "./pages.ts";

export type Rows = readonly (readonly SqlCell[])[];

export type Piece = Required<Pick<ChangeBatch, "changes" | "unreadable">>;

/** A table that a feed reads, and what its rows mean. */
export interface FeedTable {
  readonly layout: TableLayout;
  /** Yields what the rows with these keys amount to, in pieces that fit into memory. `oddities` say why a row's marks cannot be read. */
  read(rows: Rows, keys: readonly Key[], oddities: readonly (Oddity | undefined)[]): AsyncIterable<Piece>;
  /** Counts the rows that have the key right now. Present if there must be one, as in a table of records; a log may repeat keys. */
  countOf?(key: Key, signal: AbortSignal): Promise<number>;
}

export interface FeedOptions {
  readonly database: SourceDatabase;
  /** Identifies the settings that the cursor belongs to. */
  readonly read: string;
  readonly pageSize: number;
  readonly keyless: Keyless;
  /** The first load: everything, by key. Undefined if the beginning is just the lowest mark. */
  readonly whole: FeedTable | undefined;
  /** What the marker's windows are read from. Without a marker every poll is a first load. */
  readonly increment: { readonly part: FeedTable; readonly marker: Marker } | undefined;
}

/**
 * Runs one poll, from a cursor to the upper bound that is taken at its beginning. Each batch carries a cursor that resumes after
 * it, in the same window. The last one begins the next poll.
 */
export async function* poll(
  options: FeedOptions,
  from: Cursor | null,
  signal: AbortSignal,
): AsyncGenerator<ChangeBatch> {
  const { read } = options;
  const cursor = parseCursor(from, read);
  const settled: Settled = cursor?.settled ?? { mark: null };
  const progress = cursor?.progress ?? (await begin(options, settled));
  const phases = phasesOf(options, settled, progress);
  for (const [at, phase] of phases.entries()) {
    const resumed = phase === progress.phase ? progress.position : undefined;
    for await (const { position, ...piece } of readPhase(options, phase, progress, resumed, signal)) {
      const stand = { ...progress, phase, position: position && storedCells(position) };
      yield { ...piece, cursor: storedCursor({ version: 1, read, settled, progress: stand }) };
    }
    const next = phases[at + 1];
    const stand = next && {
      version: 1 as const,
      read,
      settled,
      progress: { ...progress, phase: next, position: undefined },
    };
    yield { changes: [], cursor: storedCursor(stand ?? { version: 1, read, settled: await end(options, progress) }) };
  }
}

/** Whether a poll from here would read no row, found out by one statement; false if that cannot be known. */
export async function hasNoNews(
  { database, read, increment }: FeedOptions,
  from: Cursor,
  signal: AbortSignal,
): Promise<boolean> {
  const cursor = parseCursor(from, read);
  const { clock } = database.engine;
  if (!clock || !increment || !cursor || cursor.progress) return false;
  const news = increment.marker.news?.(cursor.settled);
  if (!news) return false;
  const { layout } = increment.part;
  // All columns are named, so that a missing one is an error now and not at the next change.
  const columns = sqlList(layout.columns.map(({ name }) => sql.id(name)));
  const exists = (condition: Sql) =>
    sql`exists (select ${columns} from ${layout.from} where ${allOf([layout.where, condition])})`;
  const missing = news.known === undefined ? [] : [sql`not ${exists(news.known)}`];
  const any = sql`case when ${sql.join([...news.conditions.map(exists), ...missing], sql` or `)} then 1 else 0 end`;
  const { rows } = await database.ask(sql`select ${clock}, ${any}`, signal);
  const [[atMs, isFound] = []] = rows;
  return Number(isFound) === 0 && Number(atMs) >= news.notBeforeMs;
}

/** Returns what applies after the last page: the beginning, if the log lost rows while its pages were read. */
async function end({ increment }: FeedOptions, { phase, ...bounds }: PollProgress): Promise<Settled> {
  await increment?.marker.prove?.(bounds);
  const isWhole = phase === "whole" || (await increment?.marker.wasWhole?.(bounds)) !== false;
  return isWhole ? bounds.after : { mark: null };
}

async function begin(options: FeedOptions, settled: Settled): Promise<PollProgress> {
  const { increment, whole } = options;
  if (!increment) return { phase: "whole", lower: null, upper: "", after: { mark: null } };
  const { bounds, expired } = await increment.marker.begin(settled);
  const phase = (settled.mark === null || expired) && whole ? "whole" : increment.marker.phases[0]!;
  return { phase, ...bounds };
}

/** Returns the phases that are left of a poll: a first load has one, others have the marker's from the current one on. */
function phasesOf(options: FeedOptions, settled: Settled, progress: PollProgress): readonly Phase[] {
  if (progress.phase === "whole" || !options.increment) return ["whole"];
  const { phases } = options.increment.marker;
  const at = phases.indexOf(progress.phase);
  return at === -1 ? phases : phases.slice(at);
}

async function* readPhase(
  options: FeedOptions,
  phase: Phase,
  bounds: Bounds,
  resumed: PollProgress["position"],
  signal: AbortSignal,
): AsyncGenerator<Piece & { position: readonly SqlCell[] | undefined }> {
  const { database, increment, pageSize, keyless } = options;
  const part = phase === "whole" ? options.whole! : increment!.part;
  const { layout } = part;
  const { above, others } = phase === "whole" ? everything : increment!.marker.condition(phase, bounds);
  if (phase === "whole" || (await hasKeyless(database, layout, { above, others }, signal))) keyless.suspect(layout);
  const order = orderOf(phase, layout, increment?.marker);
  const request = {
    layout,
    columns: layout.columns,
    conditions: others,
    above,
    order,
    pageSize,
    from: resumed && restoredCells(resumed),
  };
  const keyOf = keyReader(layout);
  let before: readonly Key[] = [];
  let reached: readonly SqlCell[] | undefined = request.from;
  for await (const { rows, position } of readPages(database, request, signal)) {
    const keys = rows.map(keyOf);
    await refuseRepeated(part, before, keys, signal);
    before = keys;
    // Only the last piece of a page completes the page.
    let last: Piece | undefined;
    for await (const piece of part.read(rows, keys, verify(phase, bounds, layout, { rows, keys }, increment?.marker))) {
      if (last) yield { ...last, position: reached };
      last = piece;
    }
    reached = position;
    if (last) yield { ...last, position };
  }
}

function orderOf(phase: Phase, layout: TableLayout, marker: Marker | undefined): readonly Column[] {
  if (phase === "whole" || phase === "unset" || !marker) return layout.key;
  return [...new Set([...marker.columns, ...layout.key])];
}

/** Checks that every row lies where it was asked for. Returns why a row's marks cannot be read. */
function verify(
  phase: Phase,
  bounds: Bounds,
  layout: TableLayout,
  { rows, keys }: { readonly rows: Rows; readonly keys: readonly Key[] },
  marker: Marker | undefined,
): readonly (Oddity | undefined)[] {
  if (!marker) return [];
  const places = layout.marks.map((column) => layout.columns.indexOf(column));
  return rows.map((row, at) => {
    const marks = places.map((place) => row[place] ?? null);
    return marker.verify(phase, bounds, marks, keys[at]!);
  });
}

async function hasKeyless(
  database: SourceDatabase,
  layout: TableLayout,
  condition: RowCondition,
  signal: AbortSignal,
): Promise<boolean> {
  if (!layout.keyless) return false;
  const conditions = allOf([layout.keyless, ...rowConditions(condition)]);
  return await anyRow((query) => database.ask(query, signal), layout.from, conditions);
}

/**
 * Refuses a key with several rows. A key that comes twice, on one page or on two neighbouring ones, belongs to a record that
 * changed while they were read, or to rows that a join multiplied. The database is asked which.
 */
async function refuseRepeated(
  part: FeedTable,
  before: readonly Key[],
  keys: readonly Key[],
  signal: AbortSignal,
): Promise<void> {
  if (!part.countOf || isAscending([...before, ...keys])) return;
  const seen = new Set(before);
  for (const key of keys) {
    const { size } = seen;
    if (seen.add(key).size === size && (await part.countOf(key, signal)) > 1) throw ambiguous(part.layout, key);
  }
}

function ambiguous(layout: TableLayout, key: string): ParkError {
  return new ParkError(
    "E_SOURCE_KEY_AMBIGUOUS",
    `${layout.label} has several rows with the key ${key} (${layout.key.map(({ name }) => name).join(", ")})`,
    { details: { table: layout.label, key } },
  );
}
