import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Json } from "#model";
import { openTenant, type Reply, type Tenant } from "./tenant.ts";

describe("array update on PUT (section 4.4)", () => {
  let tenant: Tenant;
  let ticket: number;
  let [vip, repair, urgent] = [0, 0, 0];
  beforeAll(async () => {
    tenant = await openTenant();
    vip = tenant.named("tag", "VIP");
    repair = tenant.named("tag", "Wartung");
    urgent = tenant.named("tag", "Notdienst");
  });
  afterAll(() => tenant[Symbol.asyncDispose]());
  beforeEach(async () => {
    ticket = await tenant.ticket({ tags: [vip, repair] });
  });

  const put = (tags: Json): Promise<Reply> => tenant.write("PUT", `v1/ticket/${ticket}`, { tags });
  const tags = () => tenant.sandbox.record("ticket", ticket)?.["tags"];

  it("an array of ids replaces the whole array", async () => {
    await put([urgent]);
    expect(tags()).toEqual([urgent]);
  });

  it("`add` adds the ids and keeps existing elements", async () => {
    await put({ action: "add", ids: [urgent, vip] });
    expect(tags()).toEqual([vip, repair, urgent]);
  });

  it("`remove` removes the ids and keeps the others", async () => {
    await put({ action: "remove", ids: [vip, urgent] });
    expect(tags()).toEqual([repair]);
  });

  it("`set` is equivalent to passing the plain array", async () => {
    await put({ action: "set", ids: [urgent] });
    expect(tags()).toEqual([urgent]);
  });

  it("anything else is refused and changes nothing", async () => {
    const unknown = 4711;
    for (const bad of [
      { action: "merge", ids: [vip] },
      { action: "add" },
      { action: "add", ids: ["1"] },
      "x",
      [unknown],
      { action: "add", ids: [unknown] },
    ])
      expect((await put(bad)).status).toBe(400);
    expect(tags()).toEqual([vip, repair]);
  });

  it("the object is for edits: a create refuses it", async () => {
    const body = {
      description: "x",
      priority: tenant.named("priority", "Low"),
      ticketStatus: tenant.named("ticketStatus", "Open"),
    };
    const reply = await tenant.write("POST", "v1/ticket", { ...body, tags: { action: "set", ids: [vip] } });
    expect(reply.status).toBe(400);
  });
});

describe("a tenant that takes the ids for the whole array", () => {
  it.for(["add", "remove", "set"])("replaces the array whatever the action: %s", async (action) => {
    await using tenant = await openTenant({ arrayUpdate: "wholeArray" });
    const [vip, repair] = [tenant.named("tag", "VIP"), tenant.named("tag", "Wartung")];
    const ticket = await tenant.ticket({ tags: [vip] });
    await tenant.write("PUT", `v1/ticket/${ticket}`, { tags: { action, ids: [repair] } });
    expect(tenant.sandbox.record("ticket", ticket)?.["tags"]).toEqual([repair]);
  });
});

describe("a tenant without array updates", () => {
  it.for(["refused", "ignored"] as const)("has them %s, and takes the plain array", async (arrayUpdate) => {
    await using tenant = await openTenant({ arrayUpdate });
    const vip = tenant.named("tag", "VIP");
    const ticket = await tenant.ticket();
    const reply = await tenant.write("PUT", `v1/ticket/${ticket}`, { tags: { action: "add", ids: [vip] } });
    expect(reply.status).toBe(arrayUpdate === "refused" ? 400 : 200);
    expect(tenant.sandbox.record("ticket", ticket)?.["tags"] ?? []).toEqual([]);
    await tenant.write("PUT", `v1/ticket/${ticket}`, { tags: [vip] });
    expect(tenant.sandbox.record("ticket", ticket)?.["tags"]).toEqual([vip]);
  });
});
