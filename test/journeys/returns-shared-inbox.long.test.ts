import { afterAll, expect, it, describe } from "vitest";
import { postgresServer } from "../setup/postgres.ts";
import { Replica } from "./replica.ts";
import {
  adopt,
  approve,
  customerInBoth,
  erpJob,
  inboxCounts,
  inboxSyncFile,
  makeInbox,
  numbered,
  use,
} from "./returns-inbox.ts";
import { setStage, until } from "./stage.ts";

const REPORTS = 60;
const NAMES = ["first", "second"] as const;

const postgres = postgresServer();
afterAll(() => postgres.end());

describe("two installations with stores of their own, that hand over into one inbox by mistake", () => {
  it("give each report once and whole, and each invoice its number, while both are killed with -9", async () => {
    const inboxUrl = await postgres.url();
    await using stage = await setStage({
      syncFile: await inboxSyncFile(),
      environment: { POLL_INTERVAL_SECONDS: "1", INBOX_URL: inboxUrl },
    });
    const { sandbox } = stage;
    await makeInbox(stage, inboxUrl);
    await use(stage, "first");
    const customer = await customerInBoth(stage);
    await use(stage, "second");
    await adopt(stage);
    sandbox.faults.add({ kind: "latency", ms: 20, method: "GET" });

    const working = new AbortController();
    const erp = erpJob(inboxUrl, working.signal, { deletes: false });
    await using running = new AsyncDisposableStack();
    try {
      const start = async (name: string) => running.use(await Replica.start(stage, name));
      const installations = await Promise.all(NAMES.map(start));
      for (const one of installations) await until("it is ready", () => one.isReady());
      approve(stage, customer, 1, REPORTS);
      for (const [at, enough] of [60, 120, 120, 120].entries()) {
        const before = sandbox.ledger.count({});
        await until("more was asked", () => sandbox.ledger.count({}) - before >= enough);
        const which = at % NAMES.length;
        await installations[which]![Symbol.asyncDispose]();
        installations[which] = await start(NAMES[which]!);
      }
      await until("every invoice has its number", () => numbered(stage) === REPORTS);
      for (const name of NAMES) {
        await use(stage, name);
        await using store = await stage.store();
        await until(`${name} has nothing left to do`, async () => {
          const open = await store.returns.find({ states: ["prepared", "delivered", "blocked"], limit: 1 });
          const following = await store.returns.find({ following: "due", limit: 1 });
          const all = await store.returns.find({ states: ["accepted"], limit: REPORTS + 1 });
          return open.length === 0 && following.length === 0 && all.length === REPORTS;
        });
        expect(await store.returns.find({ states: ["held", "uncertain", "refused"], limit: 1 })).toEqual([]);
      }
    } finally {
      working.abort();
      await erp;
    }
    expect(await inboxCounts(inboxUrl)).toEqual({ facts: REPORTS, subjects: REPORTS, half: 0 });
    // Both may write a number at the same moment, but never two numbers.
    const writes = sandbox.ledger.writes({ resource: "invoice", action: "edit" });
    expect(new Set(writes.map(({ id, sent }) => JSON.stringify([id, sent]))).size).toBe(REPORTS);
  });
});
