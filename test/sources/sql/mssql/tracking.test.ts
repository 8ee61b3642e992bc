import { describe, expect, it } from "vitest";
import type { Logger } from "#telemetry";
import { SourceDatabase } from "../../../../src/sources/sql/database.ts";
import type { SqlCell, Column, Engine, QueryResult } from "../../../../src/sources/sql/engines/engine.ts";
import { mssqlEngine } from "../../../../src/sources/sql/mssql/mssql-engine.ts";
import { settings } from "../../../../src/sources/sql/settings.ts";
import { SqlStream } from "../../../../src/sources/sql/stream.ts";
import { never } from "../../../kit/outcome.ts";
import { poll } from "../../reading.ts";
import { sqlStream } from "../sql-stream.ts";

const columnOf = (name: string): Column => ({ name, kind: "integer", type: "bigint" });

/** A tracked table `t` with the keys 1 and 2 as SQL Server would answer for it, statement by statement. */
class Tracking {
  current = 7n;
  /** CHANGE_TRACKING_MIN_VALID_VERSION, by how often it was asked; the last one stays. */
  lowest = [0n];
  readonly asked: string[] = [];
  readonly logged: string[] = [];

  stream(): SqlStream {
    const session = {
      query: async (text: string, values: readonly unknown[]): Promise<QueryResult> => this.#answer(text, values),
      end: async () => undefined,
      destroy: () => undefined,
    };
    const real = mssqlEngine(settings.parse({ url: "mssql://u:p@erp/db" }));
    const engine: Engine = { ...real, connect: async () => session };
    const note = (_facts: object, message: string) => void this.logged.push(message);
    const logger: Logger = { debug: note, info: note, warn: note, error: note, child: () => logger };
    const database = new SourceDatabase(engine, { source: "erp", connections: 1 });
    return sqlStream(database, { table: "t", key: "id", changed: { changeTracking: true } }, "UTC", logger);
  }

  #answer(text: string, values: readonly unknown[]): QueryResult {
    const log = text.includes("changetable");
    const columns = log ? [columnOf("id"), columnOf("trackedVersion")] : [columnOf("id")];
    const told = (what: string, rows: SqlCell[][]): QueryResult => {
      this.asked.push(what);
      // Pages tell of each row whether it lies beyond the page before.
      return { columns, rows: text.includes('"svcsync beyond"') ? rows.map((row) => [...row, 1]) : rows };
    };
    if (text.includes("change_tracking_min_valid_version")) {
      const lowest = this.lowest.length > 1 ? this.lowest.shift()! : this.lowest[0]!;
      return told("versions", [[String(this.current), String(lowest)]]);
    }
    if (text.includes("1 = 0")) return { columns, rows: [] };
    if (text.includes("count(*)")) return { columns, rows: [[0]] };
    if (log) {
      const isInside = !text.includes("is null") && this.current > lowerOf(values);
      return told("log", isInside ? [[2, this.current]] : []);
    }
    return text.includes("try_convert") ? told("records", [[2]]) : told("table", [[1], [2]]);
  }
}

/** The mark that a statement begins at. */
function lowerOf([first]: readonly unknown[]): bigint {
  return typeof first === "string" ? BigInt(first) : 0n;
}

describe("change tracking", () => {
  it("asks what is still known before the first page and after the last one", async () => {
    const tracking = new Tracking();
    const stream = tracking.stream();
    const first = await poll(stream);
    expect([first.keys, tracking.asked.splice(0)]).toEqual([
      ["1", "2"],
      ["versions", "table"],
    ]);
    tracking.current = 9n;
    const second = await poll(stream, first.cursor);
    expect(second.keys).toEqual(["2"]);
    expect(tracking.asked).toEqual(["versions", "log", "log", "records", "versions"]);
    expect(tracking.logged).toEqual([]);
  });

  it.each([
    ["between two polls", [8n]],
    ["while a poll reads its pages", [0n, 8n]],
  ])("that forgets %s has the table read whole", async (_when, lowest) => {
    const tracking = new Tracking();
    const stream = tracking.stream();
    let { cursor } = await poll(stream);
    tracking.current = 9n;
    tracking.lowest = lowest;
    tracking.asked.length = 0;
    for (let polls = 0; polls < 2; polls++) ({ cursor } = await poll(stream, cursor));
    expect(tracking.asked).toContain("table");
    expect(tracking.logged).toEqual(["change tracking forgot changes, table is read whole"]);
  });

  it("that forgets while a cut off poll waits does not count as read", async () => {
    const tracking = new Tracking();
    const stream = tracking.stream();
    const { cursor } = await poll(stream);
    tracking.current = 9n;
    const begun = stream.changes(cursor, never);
    const { value } = await begun.next();
    await begun.return(undefined);
    tracking.lowest = [8n];
    const resumed = await poll(stream, value!.cursor);
    expect((await poll(stream, resumed.cursor)).keys).toEqual(["1", "2"]);
  });

  it("of a restored database, whose versions went back, has the table read whole", async () => {
    const tracking = new Tracking();
    const stream = tracking.stream();
    const { cursor } = await poll(stream);
    tracking.current = 3n;
    expect((await poll(stream, cursor)).keys).toEqual(["1", "2"]);
  });

  it("tells when it forgot deletions, which no reading brings back", async () => {
    const tracking = new Tracking();
    const stream = tracking.stream();
    const deletions = async (cursor: Parameters<typeof stream.changes>[0]) => {
      let last = cursor;
      for await (const batch of stream.deletions!(cursor, never)) last = batch.cursor;
      return last;
    };
    const cursor = await deletions(null);
    tracking.lowest = [8n];
    tracking.current = 9n;
    await deletions(cursor);
    expect(tracking.logged).toEqual(["change tracking forgot deletions"]);
  });
});
