import type { Database } from "better-sqlite3";
import type { RecordId, RecordState, StreamName } from "#model";
import type { RecordQuery } from "../../contract/records.ts";
import type { RecordView } from "../../facts.ts";
import type { ParentLinks } from "../steps/parent-links.ts";
import { SELECT_ONE, SELECT_RECORD, viewOf, type RecordRow } from "../../rows/record-row.ts";
import { stateList } from "../../rows/state-list.ts";
import type { Streams } from "./streams.ts";

/** Records as people and commands see them. */
export class Views {
  readonly #db: Database;
  readonly #family: ParentLinks;
  readonly #streams: Streams;
  readonly #one;
  readonly #counts;
  readonly #countsOf;

  constructor(db: Database, family: ParentLinks, streams: Streams) {
    this.#db = db;
    this.#family = family;
    this.#streams = streams;
    this.#one = db.prepare<[string, string], RecordRow>(SELECT_ONE);
    this.#counts = db.prepare<[], { stream: StreamName; state: RecordState; count: number }>(
      "SELECT stream, state, count(*) AS count FROM records GROUP BY stream, state",
    );
    this.#countsOf = db.prepare<[string], { stream: StreamName; state: RecordState; count: number }>(`
      SELECT s.stream, n.value AS state, count(*) AS count
      FROM streams s, json_each(?) n CROSS JOIN records r ON r.stream = s.stream AND r.state = n.value
      GROUP BY s.stream, n.value`);
  }

  record(id: RecordId): RecordView | undefined {
    const row = this.#one.get(id.stream, id.key);
    return row && this.#view(row);
  }

  records(query: RecordQuery): RecordView[] {
    const { stream, after, limit } = query;
    const streams = stream === undefined ? this.#streams.names() : [stream];
    const found: RecordView[] = [];
    for (const name of streams) {
      if (found.length >= limit) break;
      if (after !== undefined && Buffer.compare(Buffer.from(name), Buffer.from(after.stream)) < 0) continue;
      const afterKey = after !== undefined && name === after.stream ? after.key : undefined;
      for (const row of this.#page(name, query, afterKey, limit - found.length)) found.push(this.#view(row));
    }
    return found;
  }

  /** One index range per state, each cut at the limit: a page costs the same however many records the stream has. */
  #page(
    stream: StreamName,
    { states, unbound }: Pick<RecordQuery, "states" | "unbound">,
    after: string | undefined,
    limit: number,
  ): RecordRow[] {
    const isUnbound = unbound ? "AND NOT EXISTS (SELECT 1 FROM bindings b WHERE b.record = records.id)" : "";
    const range = `stream = @stream ${after === undefined ? "" : "AND key > @after"} ${isUnbound}`;
    const ranges = (states?.map((state) => `${range} AND state = ${stateList([state])}`) ?? [range]).map(
      (where) => `SELECT * FROM (SELECT id, key FROM records WHERE ${where} ORDER BY key LIMIT @limit)`,
    );
    if (ranges.length === 0) return [];
    const ids = `SELECT id FROM (${ranges.join(" UNION ALL ")} ORDER BY key LIMIT @limit)`;
    return this.#db
      .prepare<[object], RecordRow>(`${SELECT_RECORD} WHERE r.id IN (${ids}) ORDER BY r.key`)
      .all({ stream, after, limit });
  }

  counts(states?: readonly RecordState[]): Map<StreamName, Partial<Record<RecordState, number>>> {
    const counts = new Map<StreamName, Partial<Record<RecordState, number>>>();
    for (const { stream, state, count } of states === undefined
      ? this.#counts.iterate()
      : this.#countsOf.iterate(JSON.stringify(states))) {
      const ofStream = counts.get(stream) ?? {};
      ofStream[state] = count;
      counts.set(stream, ofStream);
    }
    return counts;
  }

  #view(row: RecordRow): RecordView {
    return viewOf(row, row.state === "waiting" ? this.#family.waitsOf(row.id) : []);
  }
}
