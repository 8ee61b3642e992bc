import type { Database } from "better-sqlite3";
import type { HistoryHour, HistoryStore, HourCounts } from "../../contract/history.ts";
import type { Access } from "../access.ts";

const HOUR_MS = 3_600_000;

/** Each count and its column. */
const columns: Readonly<Record<keyof HourCounts, string>> = {
  polls: "polls",
  pollFailures: "poll_failures",
  rowsRead: "rows_read",
  changed: "changed",
  created: "created",
  adopted: "adopted",
  updated: "updated",
  unchanged: "unchanged",
  deleted: "deleted",
  skipped: "skipped",
  waiting: "waiting",
  retried: "retried",
  parked: "parked",
  uncertain: "uncertain",
  requests: "requests",
  busyMs: "busy_ms",
};
const pairs = Object.entries(columns);

/** What each stream did, hour by hour. */
export class RunHistory implements HistoryStore {
  readonly #access: Access;
  readonly #add;
  readonly #range;
  readonly #prune;

  constructor(db: Database, access: Access) {
    this.#access = access;
    this.#add = db.prepare<[object]>(`
      INSERT INTO run_history (hour, stream, ${pairs.map(([, column]) => column).join(", ")})
      VALUES (@hour, @stream, ${pairs.map(([name]) => `@${name}`).join(", ")})
      ON CONFLICT DO UPDATE SET ${pairs.map(([, column]) => `${column} = ${column} + excluded.${column}`).join(", ")}`);
    this.#range = db.prepare<[object], HourCounts & { readonly hour: number; readonly stream: string }>(`
      SELECT hour, stream, ${pairs.map(([name, column]) => `${column} AS ${name}`).join(", ")}
      FROM run_history WHERE hour >= @since AND hour < @until AND (@stream IS NULL OR stream = @stream) ORDER BY hour, stream`);
    this.#prune = db.prepare<[number]>("DELETE FROM run_history WHERE hour < ?");
  }

  addHistory(hours: readonly HistoryHour[]): Promise<void> {
    return this.#access.step(() => {
      for (const { hourAt, busyMs, ...counts } of hours)
        this.#add.run({ ...counts, busyMs: Math.round(busyMs), hour: Math.floor(hourAt / HOUR_MS) });
    });
  }

  history({ since, until, stream }: Parameters<HistoryStore["history"]>[0]): Promise<HistoryHour[]> {
    const range = {
      since: Math.ceil(since / HOUR_MS),
      until: until === undefined ? Number.MAX_SAFE_INTEGER : Math.ceil(until / HOUR_MS),
      stream: stream ?? null,
    };
    return this.#access.read(() =>
      this.#range.all(range).map(({ hour, ...counts }) => ({ hourAt: hour * HOUR_MS, ...counts })),
    );
  }

  pruneHistory(before: number): Promise<number> {
    return this.#access.step(() => this.#prune.run(Math.floor(before / HOUR_MS)).changes);
  }
}
