import { createServer } from "node:http";
import { monitorEventLoopDelay } from "node:perf_hooks";
import Sqlite from "better-sqlite3";
import { createConnection } from "mysql2/promise";
import { Client } from "pg";
import { systemClock } from "#model";
import { Poller, PollPauses } from "#pipeline";
import { openStore } from "#store";
import { SourceDatabase } from "../../../src/sources/sql/database.ts";
import { engineOf } from "../../../src/sources/sql/engines/engines.ts";
import { settings } from "../../../src/sources/sql/settings.ts";
import { listen } from "../../setup/listen.ts";
import { silentLogger } from "../../kit/logger.ts";
import type { Reading } from "./reader.ts";
import { sqlStream, wrapped } from "../../sources/sql/sql-stream.ts";

/** Where the rows are, where the store is, and the stamp column, or "" for a table that is read whole by each poll. */
const [url = "", dataDir = "", changed = ""] = process.argv.slice(2);
const stream = "customers";
const nanosPerMs = 1_000_000;
const microsPerMs = 1_000;

let statements = 0;
const engine = wrapped(engineOf(settings.parse({ url, timezone: "Europe/Berlin" })), (session) => (...asked) => {
  statements++;
  return session.query(...asked);
});
const source = sqlStream(
  new SourceDatabase(engine, { source: "erp", connections: 2 }),
  { table: "customers", key: "customer_no", ...(changed === "" ? {} : { changed }) },
  "Europe/Berlin",
);
const openedAt = performance.now();
const store = await openStore(dataDir, { as: "daemon", clock: systemClock, logger: silentLogger });
await store.counts();
const openMs = performance.now() - openedAt;
let polled = { rowsRead: 0, changed: 0 };
const poller = new Poller({
  store,
  sources: new Map([[stream, source]]),
  sweeper: { sweepIfDue: async () => 0 },
  pauses: new PollPauses({ sourceOf: () => "erp" }),
  rounds: { begin: () => {}, decide: async () => {}, end: () => {} },
  clock: systemClock,
  logger: silentLogger,
  observer: {
    staged: () => {},
    polled: (_stream, facts) => void (polled = facts),
    pollFailed: (_stream, error) => void process.stderr.write(`${error.code}: ${error.message}\n`),
    delivered: () => {},
  },
  nudge: () => {},
});

/** What a page of the daemon asks the store for, in the process that polls. */
const page = createServer((_request, response) => {
  void Promise.all([store.counts(), store.stream(stream), store.records({ stream, limit: 50 })]).then((told) =>
    response.end(JSON.stringify(told.length)),
  );
});
const port = await listen(page);

/** What any program would do that wants all rows: one statement, with the driver's plain settings. */
async function bareRead(): Promise<number> {
  const all = "select * from customers";
  if (engine.name === "sqlite") {
    using database = { file: new Sqlite(url.slice("sqlite:".length), { readonly: true }), [Symbol.dispose]() {} };
    let rows = 0;
    for (const _row of database.file.prepare(all).iterate()) rows++;
    database.file.close();
    return rows;
  }
  if (engine.name === "postgres") {
    const client = new Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query(all);
    await client.end();
    return rows.length;
  }
  const connection = await createConnection({ uri: url.replace(/^mariadb:/, "mysql:") });
  const [rows] = await connection.query(all);
  await connection.end();
  return Array.isArray(rows) ? rows.length : 0;
}

/** Processor time of this thread: those of the garbage collector work beside it. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / microsPerMs;
}

async function reading(kind: unknown): Promise<Reading> {
  statements = 0;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  let turnMs = 0;
  let turnBegan = threadMs();
  const turns = setInterval(() => {
    const now = threadMs();
    turnMs = Math.max(turnMs, now - turnBegan);
    turnBegan = now;
  }, 1);
  const processor = process.cpuUsage();
  const begun = performance.now();
  if (kind === "bare") polled = { rowsRead: await bareRead(), changed: 0 };
  else await poller.poll(stream, new AbortController().signal);
  const ms = performance.now() - begun;
  delay.disable();
  clearInterval(turns);
  const used = process.cpuUsage(processor);
  const processorMs = (used.user + used.system) / microsPerMs;
  const peakBytes = process.resourceUsage().maxRSS * 1024;
  return { ...polled, ms, processorMs, stallMs: delay.max / nanosPerMs, turnMs, statements, peakBytes, openMs };
}

process.on("message", (kind) => {
  if (kind !== "end") return void reading(kind).then((told) => process.send?.(told));
  page.close();
  page.closeAllConnections();
  void store[Symbol.asyncDispose]().then(() => process.exit());
});
process.send?.({ port });
