import { ParkError, type Change, type ChangeBatch, type Cursor, type Finding, type Key, type Row } from "#model";
import type { Capabilities, KeylessRows, SourceStream } from "../source.ts";
import { checkTable } from "./read/check.ts";
import { parseCursor } from "./markers/cursor.ts";
import { hasNoNews, poll, type FeedOptions } from "./read/feed.ts";
import { changesFeed, deletionsFeed, describeRecords, type StreamContext } from "./read/feeds.ts";
import { Keyless } from "./read/keyless.ts";
import { keyReader } from "./read/layout.ts";
import { Oddity } from "./read/oddity.ts";
import { readPages } from "./read/pages.ts";
import type { SqlRead } from "./read.ts";
import { StreamTable } from "./read/records.ts";

type FeedOf = typeof changesFeed;

interface DeletionBatch {
  readonly changes: readonly Change[];
  readonly cursor: Cursor;
}

/** A table, view or query of a database as a stream. */
export class SqlStream implements SourceStream {
  readonly capabilities: Capabilities;
  readonly deletions?: (cursor: Cursor | null, signal: AbortSignal) => AsyncIterable<DeletionBatch>;
  readonly #context: StreamContext;
  /** Each feed as it was when it was last read. */
  readonly #last = new Map<FeedOf, FeedOptions>();

  constructor(context: Omit<StreamContext, "keyless">) {
    this.#context = { ...context, keyless: new Keyless() };
    this.capabilities = capabilitiesOf(context.read);
    if (this.capabilities.deletions === "feed")
      this.deletions = (cursor, signal) => this.#poll(deletionsFeed, cursor, signal);
  }

  changes(cursor: Cursor | null, signal: AbortSignal): AsyncGenerator<ChangeBatch> {
    return this.#poll(changesFeed, cursor, signal);
  }

  async readOne(key: Key, signal: AbortSignal): Promise<Row | undefined> {
    return (await this.readMany([key], signal)).get(key);
  }

  async readMany(keys: readonly Key[], signal: AbortSignal): Promise<ReadonlyMap<Key, Row>> {
    const { database, cells } = this.#context;
    const records = new StreamTable(database, await describeRecords(this.#context, signal), cells);
    const rows = new Map<Key, Row>();
    for await (const found of records.find(keys, signal))
      for (const [key, row] of found) {
        if (row instanceof Oddity) throw new ParkError("E_ROW_UNREADABLE", `${row.place}: ${row.reason}`);
        if (row !== undefined) rows.set(key, row);
      }
    return rows;
  }

  async *keys(signal: AbortSignal): AsyncGenerator<readonly Key[]> {
    const { database, read, keyless } = this.#context;
    const layout = await describeRecords(this.#context, signal);
    keyless.suspect(layout);
    const keyOf = keyReader({ key: layout.key, columns: layout.key });
    const request = { layout, columns: layout.key, conditions: [], order: layout.key, pageSize: read.pageSize };
    for await (const { rows } of readPages(database, request, signal)) yield rows.map(keyOf);
  }

  async keyless(signal: AbortSignal): Promise<readonly KeylessRows[]> {
    return await this.#context.keyless.rows(this.#context.database, signal);
  }

  async check(signal: AbortSignal): Promise<Finding[]> {
    return await checkTable(this.#context, signal);
  }

  /**
   * Polls a feed. What the last poll learned about the table is enough to ask whether anything is new. A poll that reads learns it
   * again.
   */
  async *#poll(feedOf: FeedOf, cursor: Cursor | null, signal: AbortSignal): AsyncGenerator<ChangeBatch> {
    if (cursor !== null && (await this.#isQuiet(this.#last.get(feedOf), cursor, signal)))
      return yield { changes: [], cursor };
    const feed = await feedOf(this.#context, signal);
    this.#last.set(feedOf, feed);
    this.#noteForeignCursor(cursor, feed.read);
    yield* poll(feed, cursor, signal);
  }

  /** Whether nothing is new. A table that is no longer what it was is described again, because that gives the best error. */
  async #isQuiet(last: FeedOptions | undefined, cursor: Cursor, signal: AbortSignal): Promise<boolean> {
    if (last === undefined) return false;
    try {
      return await hasNoNews(last, cursor, signal);
    } catch (thrown) {
      if (thrown instanceof ParkError) return false;
      throw thrown;
    }
  }

  #noteForeignCursor(cursor: Cursor | null, read: string): void {
    if (cursor !== null && !parseCursor(cursor, read))
      this.#context.logger.warn({}, "cursor did not fit the read settings, stream is read from the beginning");
  }
}

function capabilitiesOf(read: SqlRead): Capabilities {
  const tracked = typeof read.changed === "object" && "changeTracking" in read.changed;
  return { deletions: read.deletions || read.outbox || tracked ? "feed" : "sweep" };
}
