import type { Database } from "better-sqlite3";
import { RECORD_STATES, type Key, type RecordId, type RecordState, type StreamName } from "#model";
import type { RecordQuery } from "../../contract/records.ts";
import type { RecordView } from "../../facts.ts";
import { SELECT_ONE, SELECT_RECORD, viewOf, type RecordRow } from "../../rows/record-row.ts";
import { stateList } from "../../rows/state-list.ts";
import { PART } from "./stream-parts.ts";
import type { Streams } from "./streams.ts";

/** Records counted without a pause, which takes about 1 ms. */
const SLICE = 20_000;

/** Records as people and commands see them. */
export class Views {
  readonly #db: Database;
  readonly #waitsOf;
  readonly #streams: Streams;
  readonly #one;
  readonly #afterSlice;
  readonly #rest;

  constructor(db: Database, streams: Streams) {
    this.#db = db;
    this.#streams = streams;
    this.#one = db.prepare<[string, string], RecordRow>(SELECT_ONE);
    this.#waitsOf = db.prepare<[number], RecordId>(
      "SELECT stream, key FROM waits WHERE child = ? ORDER BY stream, key",
    );
    const range = "FROM records WHERE stream = ? AND state = ? AND key >= ?";
    this.#afterSlice = db
      .prepare<[StreamName, RecordState, string], string>(`SELECT key ${range} ORDER BY key LIMIT 1 OFFSET ${SLICE}`)
      .pluck();
    this.#rest = db.prepare<[StreamName, RecordState, string], number>(`SELECT count(*) ${range}`).pluck();
  }

  record(id: RecordId): RecordView | undefined {
    const row = this.#one.get(id.stream, id.key);
    return row && this.#view(row);
  }

  /** Finds records in parts. Yields so that other work can run: an unbound record may follow very many bound ones. */
  *finding(query: RecordQuery): Generator<undefined, RecordView[]> {
    const { stream, states, unbound, after, limit } = query;
    const streams = stream === undefined ? this.#streams.names() : [stream];
    const found: RecordView[] = [];
    for (const name of streams) {
      if (found.length >= limit) break;
      if (after !== undefined && Buffer.compare(Buffer.from(name), Buffer.from(after.stream)) < 0) continue;
      let afterKey = after !== undefined && name === after.stream ? after.key : undefined;
      do {
        const to = unbound && this.#endOfPart(name, states, afterKey);
        const page = this.#page(name, query, { after: afterKey, to, limit: limit - found.length });
        for (const row of page) found.push(this.#view(row));
        afterKey = to;
        if (to !== undefined) yield;
      } while (afterKey !== undefined && found.length < limit);
    }
    return found;
  }

  /** Reads one index range per state, each up to the limit: a page costs the same however many records the stream has. */
  #page(
    stream: StreamName,
    { states, unbound }: Pick<RecordQuery, "states" | "unbound">,
    { after, to, limit }: { after: Key | undefined; to: Key | undefined; limit: number },
  ): RecordRow[] {
    const isUnbound = unbound ? "AND NOT EXISTS (SELECT 1 FROM bindings b WHERE b.record = records.id)" : "";
    const upTo = to === undefined ? "" : "AND key <= @to";
    const ranges = rangesOf(states, after).map(
      (range) =>
        `SELECT * FROM (SELECT id, key FROM records WHERE ${range} ${upTo} ${isUnbound} ORDER BY key LIMIT @limit)`,
    );
    if (ranges.length === 0) return [];
    const ids = `SELECT id FROM (${ranges.join(" UNION ALL ")} ORDER BY key LIMIT @limit)`;
    return this.#db
      .prepare<[object], RecordRow>(`${SELECT_RECORD} WHERE r.id IN (${ids}) ORDER BY r.key`)
      .all({ stream, after, to, limit });
  }

  /** The last key that one read examines; undefined if no more records follow. */
  #endOfPart(stream: StreamName, states: RecordQuery["states"], after: Key | undefined): Key | undefined {
    const ends = rangesOf(states, after).map(
      (range) => `SELECT * FROM (SELECT key FROM records WHERE ${range} ORDER BY key LIMIT 1 OFFSET ${PART})`,
    );
    if (ends.length === 0) return undefined;
    const end = this.#db.prepare<[object], Key | null>(`SELECT min(key) FROM (${ends.join(" UNION ALL ")})`).pluck();
    return end.get({ stream, after }) ?? undefined;
  }

  /** Counts records in parts. Yields so that other work can run. */
  *counting(states: readonly RecordState[] = RECORD_STATES) {
    const counts = new Map<StreamName, Partial<Record<RecordState, number>>>();
    for (const stream of this.#streams.names())
      for (const state of states) {
        let count = 0;
        let from = "";
        for (let next; (next = this.#afterSlice.get(stream, state, from)) !== undefined; from = next) {
          count += SLICE;
          yield;
        }
        count += this.#rest.get(stream, state, from) ?? 0;
        if (count > 0) counts.set(stream, { ...counts.get(stream), [state]: count });
      }
    return counts;
  }

  #view(row: RecordRow): RecordView {
    return viewOf(row, row.state === "waiting" ? this.#waitsOf.all(row.id) : []);
  }
}

/** The index ranges that hold these records, one per state. */
function rangesOf(states: RecordQuery["states"], after: Key | undefined): string[] {
  const range = `stream = @stream ${after === undefined ? "" : "AND key > @after"}`;
  return states?.map((state) => `${range} AND state = ${stateList([state])}`) ?? [range];
}
