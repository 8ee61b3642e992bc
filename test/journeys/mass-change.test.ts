import { describe, expect, it } from "vitest";
import { customersStream } from "../setup/customers-stream.ts";
import { setStage, texts, writeRequests } from "./stage.ts";

const CUSTOMERS = 12;
const syncFile = `
sources: { erp: { adapter: sql, url: "\${ERP_URL}" } }
streams:
${customersStream()}`;

describe("an ERP in which nearly all names change at once", () => {
  it("is held by every sync until a person confirms the plan, and new records go on", async () => {
    await using stage = await setStage({ syncFile, environment: { MASS_GUARD_COUNT: "2" } });
    for (let at = 1; at <= CUSTOMERS; at++)
      stage.erp.insertCustomer({ customer_no: String(10_000 + at), name1: `Kunde ${at}` });
    expect((await stage.command("sync")).code).toBe(0);
    const names = texts(stage.sandbox, "customer", "name");
    const before = writeRequests(stage.sandbox);
    for (let at = 1; at <= CUSTOMERS; at++) stage.erp.renameCustomer(String(10_000 + at), `Fremd ${at}`);
    stage.erp.insertCustomer({ customer_no: "20000", name1: "Neu" });
    const held = await stage.command("sync");
    expect(held.code).toBe(1);
    expect(held.stdout).toContain(`${CUSTOMERS} of ${CUSTOMERS} bound records`);
    expect(texts(stage.sandbox, "customer", "name")).toEqual([...names, "Neu"].toSorted());
    expect(writeRequests(stage.sandbox)).toBe(before + 1);
    expect((await stage.command("retry", "customers")).code).toBe(0);
    expect((await stage.command("sync")).code).toBe(1);
    const plan = await stage.command("plan");
    expect(plan.stdout).toContain('name: "Kunde 1" -> "Fremd 1"');
    const id = /plan --confirm ([0-9a-f]+)/.exec(plan.stdout)![1]!;
    expect((await stage.command("plan", "--confirm", id)).code).toBe(0);
    expect((await stage.command("sync")).code).toBe(0);
    expect(texts(stage.sandbox, "customer", "name").filter((name) => name.startsWith("Fremd"))).toHaveLength(CUSTOMERS);
  });
});
