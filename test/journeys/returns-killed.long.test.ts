import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sleep } from "#model";
import { postgresServer } from "../setup/postgres.ts";
import { ask } from "../store/postgres-place.ts";
import { runAndKill } from "./killed-program.ts";
import { RETURNS } from "./returning.ts";
import { setStage, shippedSyncFile, until, type Stage } from "./stage.ts";

const REPORTS = 60;

const postgres = postgresServer();
afterAll(() => postgres.end());

let syncFile: string;
beforeAll(async () => {
  syncFile = (await shippedSyncFile())
    .replace("\nstreams:", '\n  inbox:\n    adapter: sql\n    url: "${INBOX_URL}"\n    timezone: UTC\n\nstreams:')
    .concat(RETURNS.replaceAll("source: erp", "source: inbox"));
});

/** The ERP's own job: locks the inbox for a while, takes what is open, answers it, and deletes some of what it has answered. */
async function job(url: string, signal: AbortSignal): Promise<void> {
  for (let turn = 1; !signal.aborted; turn++) {
    await ask(
      url,
      `BEGIN; LOCK TABLE svcsync_returns IN EXCLUSIVE MODE; SELECT pg_sleep(0.2);
       INSERT INTO svcsync_answers (return_id, result, document, answered_at)
         SELECT return_id, 'ok', 'RE-' || svcsync_open.service_id, now() FROM svcsync_open ORDER BY return_id LIMIT 5;
       ${turn % 3 === 0 ? "DELETE FROM svcsync_returns r USING svcsync_answers a WHERE a.return_id = r.return_id AND r.service_id % 7 = 0;" : ""}
       COMMIT`,
    ).catch(() => undefined);
    await sleep(300, signal);
  }
}

async function counts(url: string, stage: Stage) {
  const [facts] = await ask<{ all: string; subjects: string }>(
    url,
    `SELECT count(*) AS all, count(DISTINCT id) AS subjects FROM
       (SELECT return_id AS id FROM svcsync_returns UNION SELECT return_id FROM svcsync_answers) f`,
  );
  const [half] = await ask<{ count: string }>(
    url,
    `SELECT count(*) FROM svcsync_returns r
     WHERE r.line_count <> (SELECT count(*) FROM svcsync_return_lines l WHERE l.return_id = r.return_id)`,
  );
  const numbers = stage.sandbox.ledger.writes({ resource: "invoice", action: "edit" });
  return {
    facts: Number(facts!.all),
    half: Number(half!.count),
    numbers: new Set(numbers.map((write) => write.id)).size,
    writes: numbers.length,
  };
}

describe("a daemon that is killed with -9 again and again while reports go back", () => {
  it("hands over each report once and whole, and writes each number once", async () => {
    const [storeUrl, inboxUrl] = [await postgres.url(), await postgres.url()];
    await using stage = await setStage({
      syncFile,
      environment: { POLL_INTERVAL_SECONDS: "1", STORE_URL: storeUrl, INBOX_URL: inboxUrl },
    });
    const { sandbox } = stage;
    const ddl = await stage.command("returns", "ddl", "--dialect", "postgres");
    await ask(inboxUrl, ddl.stdout.replaceAll(/^grant .*$/gm, ""));
    stage.erp.insertCustomer({ customer_no: "K-1", name1: "Huber GmbH" });
    expect((await stage.command("sync")).code).toBe(0);
    const customer = sandbox.records("customer").find(({ customerId }) => customerId === "K-1")!.id;
    sandbox.faults.add({ kind: "latency", ms: 20, method: "GET" });
    for (let number = 1; number <= REPORTS; number++)
      sandbox.people.approvedReport({ customer, erpReferenceNumber: `A-${number}` });

    const working = new AbortController();
    const erp = job(inboxUrl, working.signal);
    try {
      const invoiced = () => sandbox.records("invoice").filter(({ status }) => status === "INVOICED").length;
      const requests = () => sandbox.ledger.count({});
      for (const enough of [40, 90, 150, 220]) {
        const before = requests();
        expect(await runAndKill(stage, () => requests() - before >= enough)).toBe("SIGKILL");
      }
      await using running = await stage.start();
      await until("every invoice has its number", () => invoiced() === REPORTS);
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
    expect(await counts(inboxUrl, stage)).toEqual({ facts: REPORTS, half: 0, numbers: REPORTS, writes: REPORTS });
    for (const { svcDocument, invoiceNumber } of sandbox.records("invoice"))
      expect(invoiceNumber).toBe(`RE-${JSON.stringify(svcDocument)}`);
  });
});
