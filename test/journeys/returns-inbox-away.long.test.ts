import { describe, expect, it } from "vitest";
import { startPostgres } from "../setup/postgres.ts";
import { Replica } from "./replica.ts";
import {
  approve,
  customerInBoth,
  erpJob,
  inboxCounts,
  inboxSyncFile,
  makeInbox,
  numbered,
  use,
} from "./returns-inbox.ts";
import { setStage, texts, until } from "./stage.ts";

const REPORTS = 60;

describe("an inbox whose database freezes and is then killed", () => {
  it("gets each report once and whole when it is back, and the way into the service goes on meanwhile", async () => {
    // What was answered before the kill must be on the disk.
    await using postgres = await startPostgres({ waitsForDisk: true });
    const inboxUrl = postgres.url;
    await using stage = await setStage({
      syncFile: await inboxSyncFile(),
      environment: { POLL_INTERVAL_SECONDS: "1", INBOX_URL: inboxUrl },
    });
    const { sandbox, erp } = stage;
    await makeInbox(stage, inboxUrl);
    await use(stage, "daemon");
    const customer = await customerInBoth(stage);
    const working = new AbortController();
    const job = erpJob(inboxUrl, working.signal);
    await using daemon = await Replica.start(stage, "daemon");
    try {
      await until("it is ready", () => daemon.isReady());
      const arrived = async () => (await inboxCounts(inboxUrl)).facts;
      const arrivesInService = (customer_no: string) => {
        erp.insertCustomer({ customer_no, name1: `Kunde ${customer_no}` });
        return until("it is in the service", () => texts(sandbox, "customer", "customerId").includes(customer_no));
      };
      for (const [round, frozenAt] of [10, 30].entries()) {
        approve(stage, customer, 1 + round * 30, (round + 1) * 30);
        await until("some have arrived", async () => (await arrived()) >= frozenAt);
        const failures = daemon.log.split("stream of returns does not work now").length;
        await postgres.freeze();
        await arrivesInService(`K-frozen-${round}`);
        await postgres.stop("killed");
        await arrivesInService(`K-killed-${round}`);
        await until(
          "the stream says that it does not work",
          () => daemon.log.split("stream of returns does not work now").length > failures,
        );
        await postgres.start();
      }
      await until("every invoice has its number", () => numbered(stage) === REPORTS);
      await until("it says that it works again", () => daemon.log.includes("stream of returns works again"));
    } finally {
      working.abort();
      await job;
    }
    expect(await inboxCounts(inboxUrl)).toEqual({ facts: REPORTS, subjects: REPORTS, half: 0 });
    const writes = sandbox.ledger.writes({ resource: "invoice", action: "edit" });
    expect([writes.length, new Set(writes.map(({ id }) => id)).size]).toEqual([REPORTS, REPORTS]);
  });
});
