import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { postgresServer } from "../setup/postgres.ts";
import { runAndKill } from "./killed-program.ts";
import { approve, customerInBoth, erpJob, inboxCounts, inboxSyncFile, makeInbox, numbered } from "./returns-inbox.ts";
import { setStage, until } from "./stage.ts";

const REPORTS = 60;

const postgres = postgresServer();
afterAll(() => postgres.end());

let syncFile: string;
beforeAll(async () => {
  syncFile = await inboxSyncFile();
});

describe("a daemon that is killed with -9 again and again while reports go back", () => {
  it("hands over each report once and whole, and writes each number once", async () => {
    const [storeUrl, inboxUrl] = [await postgres.url(), await postgres.url()];
    await using stage = await setStage({
      syncFile,
      environment: { POLL_INTERVAL_SECONDS: "1", STORE_URL: storeUrl, INBOX_URL: inboxUrl },
    });
    const { sandbox } = stage;
    await makeInbox(stage, inboxUrl);
    const customer = await customerInBoth(stage);
    sandbox.faults.add({ kind: "latency", ms: 20, method: "GET" });
    approve(stage, customer, 1, REPORTS);

    const working = new AbortController();
    const erp = erpJob(inboxUrl, working.signal);
    try {
      const requests = () => sandbox.ledger.count({});
      for (const enough of [40, 90, 150, 220]) {
        const before = requests();
        expect(await runAndKill(stage, () => requests() - before >= enough)).toBe("SIGKILL");
      }
      await using running = await stage.start();
      await until("every invoice has its number", () => numbered(stage) === REPORTS);
      await until("nothing is left to do", async () => {
        const open = await running.store.returns.find({ following: "due", limit: 1 });
        const [left] = await running.store.returns.find({ states: ["prepared", "delivered", "blocked"], limit: 1 });
        return open.length === 0 && left === undefined;
      });
      expect(await running.store.returns.find({ states: ["held", "uncertain", "refused"], limit: 1 })).toEqual([]);
    } finally {
      working.abort();
      await erp;
    }
    expect(await inboxCounts(inboxUrl)).toEqual({ facts: REPORTS, subjects: REPORTS, half: 0 });
    const writes = sandbox.ledger.writes({ resource: "invoice", action: "edit" });
    expect([writes.length, new Set(writes.map(({ id }) => id)).size]).toEqual([REPORTS, REPORTS]);
  });
});
