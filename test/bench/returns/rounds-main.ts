import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { systemClock } from "#model";
import { ErpNames, openReader, ReturnLane, StreamMapper, type LaneStream } from "#returns";
import { openStore } from "#store";
import { inboxDdl } from "../../../src/returns/destinations/sql/ddl.ts";
import { silentLogger } from "../../kit/logger.ts";
import { never } from "../../kit/outcome.ts";
import { returnStream } from "../../mapping/returns/sample.ts";
import { destinationIn, report } from "../../returns/destinations/sql-inbox.ts";
import { openSql } from "../../sources/sql/opened.ts";
import type { Round, Rounds } from "./rounds.ts";

/**
 * `open`: so many reports that the ERP has not answered. `state`: so many records whose state goes back; `known`: whose state went back before.
 */
const [kind = "open", text = "1000"] = process.argv.slice(2);
const count = Number(text);
const MICROS_PER_MS = 1_000;
const EVERY_MS = 30_000;
/** More than those in which a look, and the reading of answers, begin from the start again. */
const IDLE_ROUNDS = 12;

const stream =
  kind === "open"
    ? returnStream({
        to: { source: "erp", table: "svcsync_returns", lines: "svcsync_return_lines" },
        answers: { table: "svcsync_answers" },
      })
    : returnStream({}, { state: "customers", to: { source: "erp", table: "svcsync_states" } });
const folder = await mkdtemp(join(tmpdir(), "svcsync-bench-"));
const store = await openStore(folder, { as: "daemon", clock: systemClock, logger: silentLogger });
const erp = await openSql("sqlite");
await erp.place.writer.run(inboxDdl("sqlite", [stream]));
const file = new Sqlite(join(folder, "svcsync.db"));
const names = new ErpNames({ clock: systemClock, resources: new Map(), store, read: () => Promise.resolve(undefined) });
const mapper = new StreamMapper(stream, names);
if (kind === "open") fillReports();
else fillRecords();
if (kind === "known") await fillStates();
file.close();
let calls = 0;

let lane = openLane();
const first = await round();
lane = openLane();
const restarted = await round();
// The parts of a look that the first one left.
for (let at = 0; at < IDLE_ROUNDS; at++) await lane.once(never);
const idle: Round[] = [];
for (let at = 0; at < IDLE_ROUNDS; at++) idle.push(await round());
const error = (await store.returns.mark(stream.name))?.error;
if (error !== undefined) throw new Error(error.message);
process.send?.({ first, restarted, idle } satisfies Rounds);
await store[Symbol.asyncDispose]();
await erp[Symbol.asyncDispose]();
await rm(folder, { recursive: true, force: true });
process.disconnect?.();

async function round(): Promise<Round> {
  const [before, called] = [process.cpuUsage(), calls];
  await lane.once(never);
  const { user, system } = process.cpuUsage(before);
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return {
    processorMs: (user + system) / MICROS_PER_MS,
    calls: calls - called,
    heldBytes: heapUsed + external,
  };
}

function openLane(): ReturnLane {
  const destination = destinationIn(erp.source, stream);
  const counted: LaneStream["destination"] = {
    deliver: (...given) => (calls++, destination.deliver(...given)),
    highest: (...given) => (calls++, destination.highest(...given)),
    answers: (...given) => (calls++, destination.answers(...given)),
    check: (...given) => destination.check(...given),
    [Symbol.asyncDispose]: () => destination[Symbol.asyncDispose](),
  };
  const of: LaneStream = {
    stream,
    reader: openOwnReader(),
    mapper,
    destination: counted,
    consequence: undefined,
  };
  return new ReturnLane(
    { store, clock: systemClock, logger: silentLogger, serviceNow: () => Date.now(), everyMs: EVERY_MS },
    [of],
  );
}

function openOwnReader(): LaneStream["reader"] {
  if (kind !== "open") return openReader({ service: { now: () => Date.now(), backward: unasked() }, store }, stream);
  return { async *changed() {}, async *all() {}, whole: () => Promise.resolve(undefined) };
}

/** State comes from the store alone. */
function unasked(): never {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- throws where it is used after all
  return new Proxy(
    {},
    {
      get: () => {
        throw new Error("the service was asked");
      },
    },
  ) as never;
}

/** Reports with five lines each, handed over and not answered, in the store and in the inbox. */
function fillReports(): void {
  const { content } = report(1);
  file
    .prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < @count)
       INSERT INTO returns (stream, subject, version, kind, service_id, hash, content, state, prepared_at, delivered_at, attempts, due_at)
       SELECT @stream, 100000 + i, 1, 'fact', 100000 + i, printf('%064d', i), @content, 'delivered', 1, 1, 0, 1 FROM n`,
    )
    .run({ count, stream: stream.name, content: JSON.stringify(content) });
  const mark = file.prepare("INSERT INTO return_marks (stream, name, value) VALUES (?, ?, ?)");
  mark.run(stream.name, "beginAt", "1");
  mark.run(stream.name, "lookedAt", String(Date.now()));
}

/** Customers that were created in the service. */
function fillRecords(): void {
  const from = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;
  file.exec(
    `INSERT INTO streams (stream) VALUES ('customers');
     ${from} INSERT INTO records (id, stream, key, state, hash, sequence, backfill, changed_at)
     SELECT i, 'customers', 'K-' || (1000000 + i), 'applied', 'h', 1, 0, 1 FROM n;
     ${from} INSERT INTO contents (record, row) SELECT i, '{}' FROM n;
     ${from} INSERT INTO bindings (record, resource, service_id) SELECT i, 'customer', 500000 + i FROM n;`,
  );
}

/** Their states, as handed over. */
async function fillStates(): Promise<void> {
  const reader = openOwnReader();
  const insert = file.prepare(
    `INSERT INTO returns (stream, subject, version, kind, service_id, hash, content, state, prepared_at, delivered_at, attempts, due_at)
     VALUES (?, ?, 1, 'state', ?, ?, ?, 'delivered', 1, 1, 0, 1)`,
  );
  file.exec("BEGIN");
  for await (const listed of reader.all(0, never))
    for (const { subject } of listed) {
      const whole = (await reader.whole(subject, never))!;
      const content = await mapper.content(whole, undefined, never);
      insert.run(stream.name, subject, whole.serviceId, mapper.hash("state", content), JSON.stringify(content));
    }
  file.exec("COMMIT");
}
