import { setImmediate as nextTurn } from "node:timers/promises";
import { openStore, type Store } from "#store";
import { OffsetClock } from "../../kit/clock.ts";
import { silentLogger } from "../../kit/logger.ts";
import { arrange, fillStore, keyOf, MANY, RESOURCE, rowOf, scattered, STREAM } from "./filled.ts";
import type { Stall } from "./stalls.ts";

/** The folder for the store, and how many records it has. */
const [folder = "", size = ""] = process.argv.slice(2);
const records = Number(size);
const PAGE = 1_000;
const LATE = Number.MAX_SAFE_INTEGER;
const microsPerMs = 1_000;

await fillStore(folder, records);
const clock = new OffsetClock();
const store = await openStore(folder, { as: "daemon", clock, logger: silentLogger });

/** Processor time of this thread: those of the garbage collector work beside it. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / microsPerMs;
}

/** Does the work, and finds the turn of the event loop that took the most processor time. */
async function stallOf(what: string, work: () => Promise<unknown>): Promise<Stall> {
  for (let turn = 0; turn < 5; turn++) await nextTurn();
  let longestMs = 0;
  const over = new AbortController();
  const begun = threadMs();
  let turnBegan = begun;
  const watched = (async () => {
    while (!over.signal.aborted) {
      await nextTurn();
      const now = threadMs();
      longestMs = Math.max(longestMs, now - turnBegan);
      turnBegan = now;
    }
  })();
  await work();
  over.abort();
  await watched;
  return { what, longestMs, processorMs: threadMs() - begun };
}

/** Pages of rows, made before they are staged. */
const pagesOf = (numbers: readonly number[], { name, size = PAGE }: { name?: string; size?: number } = {}) =>
  Array.from({ length: Math.ceil(numbers.length / size) }, (_, page) =>
    numbers
      .slice(page * size, (page + 1) * size)
      .map((number) => ({ kind: "upsert", key: keyOf(number), row: rowOf(number, name) }) as const),
  );
const staged = async (pages: ReturnType<typeof pagesOf>) => {
  for (const changes of pages) await store.stage(STREAM, { changes, cursor: 1, backfill: false, complete: false });
};

const many = Math.min(MANY, records);
const inOrder = (count: number, first = 0) => Array.from({ length: count }, (_, at) => first + at);
const by = { name: "Ada", via: "cli" } as const;

async function bindParent(): Promise<void> {
  const claim = await store.claim({ stream: STREAM, key: "PARENT" });
  if (claim === undefined) throw new Error("the parent is not due");
  await store.begin(claim, { resource: RESOURCE, projection: {} });
  await store.end(claim, {
    kind: "bind",
    binding: { resource: RESOURCE, serviceId: 5 },
    applied: { projection: {}, outcome: "created", parents: [] },
  });
}

async function sweep(of: Store, keys: readonly string[]): Promise<void> {
  const number = await of.beginSweep(STREAM);
  for (let from = 0; from < keys.length; from += PAGE) await of.markSeen(STREAM, number, keys.slice(from, from + PAGE));
  await of.endSweep(STREAM, number);
}

const sweptKeys = scattered(many, records).map(keyOf);
const entries = Array.from({ length: many / PAGE }, (_, page) =>
  scattered(PAGE, records, page * PAGE).map((number) => ({
    serviceId: 1_000 + number,
    keys: { name: `m ${number * 31}`, mail: `${number}@example.org` },
  })),
);

/** What is measured, in this order, and the scene that is set before. */
interface Case {
  readonly what: string;
  readonly scene?: string;
  readonly rows?: Parameters<typeof pagesOf>;
  readonly work: (pages: ReturnType<typeof pagesOf>) => Promise<unknown>;
}
const stagedRows = (what: string, ...rows: Parameters<typeof pagesOf>): Case => ({ what, rows, work: staged });
const cases: readonly Case[] = [
  stagedRows("warm-up", scattered(10_000, records), { name: "warm" }),
  stagedRows("page of 1,000 unchanged rows, in order", inOrder(PAGE, 500)),
  stagedRows("page of 50,000 unchanged rows, in order", inOrder(50_000, 500), { size: 50_000 }),
  stagedRows("page of 1,000 unchanged rows, scattered", scattered(PAGE, records), { name: "warm" }),
  stagedRows("page of 1,000 changed rows, scattered", scattered(PAGE, records, 3), { name: "A" }),
  stagedRows("100 pages of changed rows", scattered(many, records, 3), { name: "B" }),
  stagedRows("page of 50,000 changed rows", scattered(50_000, records, 3), { name: "C", size: 50_000 }),
  stagedRows(
    "page of 1,000 new rows",
    scattered(PAGE, records).map((number) => records + number),
  ),
  stagedRows(
    "100 pages of new rows",
    scattered(many, records).map((number) => 3 * records + number),
  ),
  {
    what: "clock set back, all due",
    scene: "UPDATE records SET state = 'due', due_at = 1000 + changed_at",
    work: () => store.clockSetBack(1_000),
  },
  {
    what: "retry of 100,000 parked records",
    scene: `UPDATE records SET state = 'applied', due_at = NULL; UPDATE records SET state = 'parked' WHERE id <= ${many}`,
    work: () => store.retryNow({ states: ["parked"] }, by),
  },
  {
    what: "remap",
    scene: "UPDATE records SET state = 'applied', due_at = NULL WHERE state <> 'applied'",
    work: () => store.remap(STREAM, "b"),
  },
  { what: "remap of what is due", work: () => store.remap(STREAM, "c") },
  {
    what: "sweep: begin, mark 100,000, end",
    scene: "UPDATE records SET state = 'applied', due_at = NULL, backfill = 0 WHERE state <> 'applied'",
    work: () => sweep(store, sweptKeys),
  },
  { what: "second sweep", work: () => sweep(store, sweptKeys) },
  { what: "unseen keys of 100,000", work: () => store.unseenKeys(STREAM, sweptKeys) },
  {
    what: "waking 100,000 children",
    scene: `
    INSERT INTO records (id, stream, key, state, hash, sequence, backfill, changed_at, due_at)
      VALUES (90000000, '${STREAM}', 'PARENT', 'due', '', 1, 0, 0, 1);
    INSERT INTO contents (record, row) VALUES (90000000, '{}');
    INSERT INTO waits (child, stream, key) SELECT id, '${STREAM}', 'PARENT' FROM records WHERE id <= ${many};
    INSERT INTO parents (child, stream, key) SELECT id, '${STREAM}', 'PARENT' FROM records WHERE id <= ${many};
    UPDATE records SET state = 'waiting' WHERE id <= ${many}`,
    work: bindParent,
  },
  { what: "bound children of 100,000", work: () => store.children({ stream: STREAM, key: "PARENT" }, "bound") },
  {
    what: "begin of a match index",
    scene: "DELETE FROM match_records WHERE service_id % 3 = 0",
    work: () => store.beginMatches(RESOURCE),
  },
  {
    what: "match index, 100 pages of 1,000",
    work: async () => {
      for (const page of entries) await store.saveMatches(RESOURCE, page);
    },
  },
  { what: "unseen matches", work: () => store.unseenMatches(RESOURCE, 5) },
  { what: "unbound matches", work: () => store.unboundMatches(RESOURCE) },
  {
    what: "end of a match index, all forgotten",
    scene: `UPDATE match_records SET reading = reading - 1 WHERE service_id <= ${1_000 + many}`,
    work: () => store.endMatches(RESOURCE, { whole: true, readAt: 1 }),
  },
  { what: "history pruned", work: () => store.prune("audit", LATE) },
  { what: "deletions pruned", work: () => store.prune("deletions", LATE) },
  { what: "exchanges pruned", work: () => store.prune("exchanges", LATE) },
  { what: "returns pruned", work: () => store.returns.prune(LATE) },
  { what: "returns counted", work: () => store.returns.counts() },
  { what: "returns due, 500", work: () => store.returns.find({ states: ["accepted"], dueBy: LATE, limit: 500 }) },
  {
    what: "latest of 1,000 subjects",
    work: () =>
      store.returns.latest(
        "reports",
        inOrder(PAGE).map((n) => `R${String(n).padStart(8, "0")}`),
      ),
  },
  { what: "bound records counted", work: () => store.rounds.boundCount(STREAM) },
  {
    what: "undecided counted",
    scene: `UPDATE records SET state = 'due', backfill = 2, due_at = 1 + id / 500 WHERE id <= ${many}`,
    work: () => store.rounds.undecided(STREAM, LATE),
  },
  { what: "undecided held", work: () => store.rounds.decide(STREAM, { kind: "hold", upTo: LATE }) },
  { what: "held released", work: () => store.rounds.decide(STREAM, { kind: "release" }) },
  {
    what: "updated counted",
    scene: `
    INSERT INTO audit (at, stream, key, action, resource, outcome)
      SELECT id, stream, key, 'update', '', 'updated' FROM records WHERE id <= ${many}`,
    work: () => store.rounds.updatedCount(STREAM, 0),
  },
  { what: "records counted", work: () => store.counts() },
  { what: "due", work: () => store.due({ limit: 1_000, streams: [STREAM] }) },
];
// What happens first to a process is compiled meanwhile, so the first case is not told.
const stalls: Stall[] = [];
for (const { what, scene, rows, work } of cases) {
  if (scene !== undefined) arrange(folder, scene);
  const pages = rows === undefined ? [] : pagesOf(...rows);
  stalls.push(await stallOf(what, () => work(pages)));
}
await store[Symbol.asyncDispose]();
process.send?.(stalls.slice(1));
process.disconnect?.();
