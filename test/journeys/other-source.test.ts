import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createSampleErp } from "#sandbox";
import { customersStream } from "../setup/customers-stream.ts";
import { setStage, texts } from "./stage.ts";

const syncFile = `
sources: { erp: { adapter: sql, url: "\${ERP_URL}" } }
streams:
${customersStream()}`;

describe("an address that leads to another company's database", () => {
  it("is refused by check, plan and sync until a person says that it is the same data", async () => {
    await using stage = await setStage({ syncFile });
    stage.erp.insertCustomer({ customer_no: "10001", name1: "Kunde" });
    expect((await stage.command("sync")).code).toBe(0);
    const path = join(stage.folder, "other.sqlite");
    using other = createSampleErp(path, { customers: 0, contacts: 0, tickets: 0, orders: 0 });
    other.insertCustomer({ customer_no: "10001", name1: "Fremd" });
    await stage.set({ ERP_URL: `sqlite:${path}` });
    const check = await stage.command("check");
    expect(check.code).toBe(1);
    expect(check.stdout).toContain("E_SOURCE_OTHER");
    const sync = await stage.command("sync");
    expect(sync.code).not.toBe(0);
    expect(sync.stdout).toContain("E_SOURCE_OTHER");
    expect((await stage.command("plan")).stdout).toContain("E_SOURCE_OTHER");
    expect(texts(stage.sandbox, "customer", "name")).toEqual(["Kunde"]);
    const former = /SOURCE_FORMER=([0-9a-f]+)/.exec(sync.stdout)![1]!;
    await stage.set({ SOURCE_FORMER: former });
    expect((await stage.command("sync")).code).toBe(0);
    expect(texts(stage.sandbox, "customer", "name")).toEqual(["Fremd"]);
  });
});
