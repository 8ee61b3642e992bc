import { describe, expect, it } from "vitest";
import { customersStream } from "../setup/customers-stream.ts";
import { setStage, texts, until, writeRequests, type Stage } from "./stage.ts";

const CUSTOMERS = 12;
const syncFile = `
sources: { erp: { adapter: sql, url: "\${ERP_URL}" } }
streams:
${customersStream()}`;

/** Customers in sync, and a guard that two changed ones are too many for. */
async function customersInStep(): Promise<Stage> {
  const stage = await setStage({ syncFile, environment: { CHANGE_GUARD_PERCENT: "10", CHANGE_GUARD_COUNT: "2" } });
  for (let at = 1; at <= CUSTOMERS; at++)
    stage.erp.insertCustomer({ customer_no: String(10_000 + at), name1: `Kunde ${at}` });
  expect((await stage.command("sync")).code).toBe(0);
  return stage;
}

const mistaken = (text: string) => text.replace("name: name1", "name: customer_no");

async function statusOf(stage: Stage) {
  const { code, stdout } = await stage.command("status", "--json");
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what status prints
  const { streams } = JSON.parse(stdout) as { streams: { state: string; holds: { kind: string; remedy: string }[] }[] };
  return { code, ...streams[0]! };
}

describe("a mapping that is edited by mistake so that many names would change", () => {
  it("is held, shown by plan, and released by the file that is put right, without a person", async () => {
    await using stage = await customersInStep();
    const names = texts(stage.sandbox, "customer", "name");
    await stage.edit(mistaken);
    const plan = await stage.command("plan");
    expect(plan.code).toBe(2);
    expect(plan.stdout).toContain(`${CUSTOMERS} updated (its mapping changed`);
    expect(plan.stdout).toContain("update customers/10001");
    expect(plan.stdout).toContain('name: "Kunde 1" -> "10001"');
    const before = writeRequests(stage.sandbox);
    {
      await using running = await stage.start();
      await until("the guard holds the stream", async () =>
        (await statusOf(stage)).holds[0]?.remedy.includes("--confirm"),
      );
      // A new row waits too: no mapping of the stream is delivered.
      stage.erp.insertCustomer({ customer_no: "20000", name1: "Neu" });
      await until("the new row is read", () => running.store.record({ stream: "customers", key: "20000" }));
      expect(await statusOf(stage)).toMatchObject({ code: 1, state: "held", holds: [{ kind: "change" }] });
      expect(running.log.text).toContain("changed mapping was held by the guard");
    }
    expect(writeRequests(stage.sandbox)).toBe(before);
    await stage.edit((text) => text.replace("name: customer_no", "name: name1"));
    expect((await stage.command("sync")).code).toBe(0);
    expect((await statusOf(stage)).state).toBe("following");
    expect(texts(stage.sandbox, "customer", "name")).toEqual([...names, "Neu"].toSorted());
  });

  it("is delivered once a person confirms exactly this plan", async () => {
    await using stage = await customersInStep();
    await stage.edit(mistaken);
    await using running = await stage.start();
    const { remedy } = await until("the guard holds the stream", async () => {
      const [hold] = (await statusOf(stage)).holds;
      return hold?.remedy.includes("--confirm") && hold;
    });
    const id = /--confirm ([0-9a-f]+)/.exec(remedy)![1]!;
    const wrong = await stage.command("plan", "--confirm", "0123456789ab");
    expect(wrong).toMatchObject({ code: 1, stdout: "" });
    expect(wrong.stderr).toContain("E_PLAN_OUTDATED");
    expect(wrong.stderr).toContain(id);
    expect((await stage.command("plan", "--confirm", id)).code).toBe(0);
    await until("the names are written", () => texts(stage.sandbox, "customer", "name").includes("10001"));
    await until("the stream flows", async () => (await statusOf(stage)).state === "following");
    expect(running.daemon.holds.open()).toEqual(["customers"]);
    await until("nothing is left", async () => (await stage.command("plan")).code === 0);
  });
});
