import { createHmac } from "node:crypto";
import { text } from "node:stream/consumers";
import { expect, it, describe } from "vitest";
import { localServer } from "../kit/http.ts";
import type { Store } from "#store";
import { customersStream } from "../setup/customers-stream.ts";
import { setStage, until, untilState } from "./stage.ts";

const syncFile = `
sources: { erp: { adapter: sql, url: "\${ERP_URL}" } }
streams:
${customersStream()}`;

const DAY = 24 * 3_600_000;
const customer = (key: string) => ({ stream: "customers", key });

/** The calls that a dead-man switch gets. */
async function deadManSwitch() {
  const calls: string[] = [];
  const server = await localServer((request, response) => {
    void text(request).then((body) => {
      calls.push(`${request.method} ${request.url} ${body}`.trim());
      return response.end();
    });
  });
  const next = () => {
    const from = calls.length;
    return until("the switch is called", () => calls[from]);
  };
  return { calls, server, next };
}

/** Counts how often the daemon looks whether it is in sync. */
function countProofs(store: Store): () => number {
  const undeliveredSince = store.undeliveredSince.bind(store);
  let count = 0;
  const counting = (stream: string) => {
    count += 1;
    return undeliveredSince(stream);
  };
  Object.assign(store, { undeliveredSince: counting });
  return () => count;
}

describe("the dead-man switch", () => {
  it("is called while customers are followed, not while polls are paused, and told why while a plan waits", async () => {
    const { calls, next, server } = await deadManSwitch();
    await using _ = server;
    const environment = { HEARTBEAT_URL: `${server.url}/beat`, CHANGE_GUARD_COUNT: "1" };
    await using stage = await setStage({ syncFile, environment });
    for (const customer_no of ["10001", "10002"]) stage.erp.insertCustomer({ customer_no });
    {
      await using running = await stage.start({ upkeepEveryMs: 20 });
      await untilState(running.store, "applied", customer("10001"), customer("10002"));
      expect(await next()).toBe("GET /beat");

      expect((await stage.command("pause", "customers", "--for", "1h", "--polls")).code).toBe(0);
      const proofs = countProofs(running.store);
      // The first look may have begun before the pause.
      await until("the daemon looked", () => proofs() > 1);
      const before = calls.length;
      await until("the daemon looked again", () => proofs() > 5);
      expect(calls.slice(before)).toEqual([]);
      expect((await stage.command("resume", "customers")).code).toBe(0);
      expect(await next()).toBe("GET /beat");
    }

    await stage.edit((content) => content.replace("name: name1", "name: customer_no"));
    await using _running = await stage.start({ upkeepEveryMs: 20 });
    const { length: before } = calls;
    const told = await until("the switch is told", () => calls.slice(before).find((call) => call.startsWith("POST")));
    expect(told).toContain("POST /beat/fail customers is held: its changed mapping would update 2 of 2 records");
    expect(calls.slice(before)).not.toContain("GET /beat");
  });
});

describe("a backup to a disk that hangs", () => {
  it("keeps the daemon from ending for its grace and no longer", async () => {
    const environment = { BACKUP_EVERY: "1d", STOP_GRACE_SECONDS: "0.2" };
    await using stage = await setStage({ syncFile, environment });
    const running = await stage.start({ upkeepEveryMs: 20 });
    let isHanging = false;
    const backup = () => {
      isHanging = true;
      return new Promise<never>(() => {});
    };
    Object.assign(running.store, { backup });
    await until("the backup hangs", () => isHanging);
    await running[Symbol.asyncDispose]();
    expect(running.log.text).not.toContain("backup was made and verified");
  });
});

describe("a record that somebody deletes in the service", () => {
  it("is found by the scheduled comparison, and told by a signed webhook; a backup is made each day", async () => {
    const key = "a-key-of-32-letters-for-webhooks";
    const told: string[] = [];
    await using receiver = await localServer((request, response) => {
      void text(request).then((body) => {
        const { "x-svcsync-timestamp": at, "x-svcsync-signature": signature } = request.headers;
        const isSigned =
          signature ===
          `sha256=${createHmac("sha256", key)
            .update(`${String(at)}.${body}`)
            .digest("hex")}`;
        told.push(isSigned ? body : "not signed");
        return response.end();
      });
    });
    const care = { BACKUP_EVERY: "1d", RECONCILE_EVERY: "1d" };
    const webhook = { NOTIFY_WEBHOOK_URL: `${receiver.url}/hook`, NOTIFY_WEBHOOK_KEY: key };
    await using stage = await setStage({ syncFile, environment: { ...care, ...webhook } });
    stage.erp.insertCustomer({ customer_no: "10001" });
    let passedMs = 0;
    const clock = { now: () => Date.now() + passedMs };
    await using running = await stage.start({ clock, upkeepEveryMs: 20 });
    const [view] = await untilState(running.store, "applied", customer("10001"));
    const firstAt = await until("a backup is verified", async () => {
      const state = await running.store.care.backupState();
      return state?.verified?.at;
    });
    stage.sandbox.vanish("customer", view?.binding?.serviceId ?? 0);
    passedMs += DAY;
    await until("the drift is told", () =>
      told.some((body) => body.includes("differs from what was written in 1 place")),
    );
    expect(told).not.toContain("not signed");
    await until("the next backup is verified", async () => {
      const state = await running.store.care.backupState();
      return (state?.verified?.at ?? 0) >= firstAt + DAY;
    });
  });
});
