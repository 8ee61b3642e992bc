import { HOUR_MS } from "#model";
import type { HistoryHour, HistoryStore, HourCounts } from "../contract/people/history.ts";
import type { Access } from "./access.ts";

/** The column of each count. */
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

const ADD = `
  INSERT INTO run_history (hour, stream, ${pairs.map(([, column]) => column).join(", ")})
  VALUES (@hour, @stream, ${pairs.map(([name]) => `@${name}`).join(", ")})
  ON CONFLICT (hour, stream) DO UPDATE
  SET ${pairs.map(([, column]) => `${column} = run_history.${column} + excluded.${column}`).join(", ")}`;

const RANGE = `
  SELECT hour, stream, ${pairs.map(([name, column]) => `${column} AS "${name}"`).join(", ")}
  FROM run_history WHERE hour >= @since AND hour < @until`;

/** What each stream did, per hour. */
export class RunHistory implements HistoryStore {
  readonly #access: Access;

  constructor(access: Access) {
    this.#access = access;
  }

  async addHistory(hours: readonly HistoryHour[]): Promise<void> {
    const statements = hours.map(({ hourAt, busyMs, ...counts }) => ({
      sql: ADD,
      values: { ...counts, busyMs: Math.round(busyMs), hour: Math.floor(hourAt / HOUR_MS) },
    }));
    await this.#access.step(statements);
  }

  async history({ since, until, stream }: Parameters<HistoryStore["history"]>[0]): Promise<HistoryHour[]> {
    const hours = await this.#access.read<HourCounts & { readonly hour: number; readonly stream: string }>(
      `${RANGE} ${stream === undefined ? "" : "AND stream = @stream"} ORDER BY hour, stream`,
      {
        since: Math.ceil(since / HOUR_MS),
        until: until === undefined ? Number.MAX_SAFE_INTEGER : Math.ceil(until / HOUR_MS),
        ...(stream === undefined ? {} : { stream }),
      },
    );
    return hours.map(({ hour, ...counts }) => ({ hourAt: hour * HOUR_MS, ...counts }));
  }
}
