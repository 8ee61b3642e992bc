import { describe, expect, it } from "vitest";
import { setStage, texts, until } from "./stage.ts";

const CUSTOMERS = 120;
const QUOTA = 40;

describe("a service whose quota is used up", () => {
  it("is left alone and the page says so, a stop does not wait for it, and the next start delivers the rest once", async () => {
    await using stage = await setStage({ rows: { customers: CUSTOMERS } });
    const { sandbox } = stage;
    sandbox.faults.add({ kind: "quota", requests: QUOTA, seconds: 864_000_000 });
    {
      await using running = await stage.start();
      const refused = () => sandbox.ledger.count({ status: 429 });
      await until("the quota is used up", () => refused() > 0);
      await until("nothing is under way", () => running.daemon.relay.outstanding === 0);
      const page = await (await fetch(running.daemon.url ?? "")).text();
      expect(page).toMatch(/answers, asked svcsync to wait \d+ s \(429\)/);
      // No more than were on their way when the first one was refused.
      expect(refused()).toBeLessThanOrEqual(4);
      const views = await running.store.records({ stream: "customers", limit: 1_000 });
      expect(views.filter(({ state }) => state === "parked" || state === "uncertain")).toEqual([]);
      expect(views.filter(({ attempts }) => attempts > 0)).toEqual([]);
    }
    sandbox.faults.clear();
    await using running = await stage.start();
    // Those that were given back are due in some minutes.
    await running.store.retryNow({ states: ["waiting"] });
    await until("all are there", async () => {
      const counts = (await running.store.counts()).get("customers") ?? {};
      return (counts.applied ?? 0) + (counts.deleted ?? 0) === CUSTOMERS;
    });
    const keys = texts(sandbox, "customer", "customerId");
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("stops at once while requests wait for the end of a short pause, and leaves no create in doubt", async () => {
    await using stage = await setStage({
      rows: { customers: CUSTOMERS },
      environment: { STOP_GRACE_SECONDS: "60" },
    });
    const { sandbox } = stage;
    sandbox.faults.add({ kind: "tooMany", retryAfterSeconds: 14, method: "POST", resource: "customer", skip: 20 });
    {
      await using running = await stage.start();
      await until("a create was refused", () => running.daemon.parts.service.state().holdMs > 0);
    }
    // Disposing waits for what is under way: nothing was sent again, so it did not wait for the end of the pause.
    expect(sandbox.ledger.count({ method: "POST", status: 429 })).toBeLessThanOrEqual(4);
    await using store = await stage.store();
    const views = await store.records({ stream: "customers", limit: 1_000 });
    const inDoubt = views.filter(({ state, intent }) => intent !== undefined || state === "uncertain");
    expect(inDoubt).toEqual([]);
  });
});
