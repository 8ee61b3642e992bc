import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { idsOf, member, openTenant, type Tenant } from "./tenant.ts";

describe("changedSince", () => {
  const time = { at: Date.parse("2026-03-01T10:00:00.000Z") };
  let tenant: Tenant;
  let [first, second] = [0, 0];
  beforeAll(async () => {
    tenant = await openTenant({ clock: { now: () => time.at } });
    first = await tenant.customer();
    time.at += 1_000;
    second = await tenant.customer();
  });
  afterAll(() => tenant[Symbol.asyncDispose]());

  const list = async (resource: string, query: string) =>
    idsOf(await tenant.read(`v1/${resource}?limit=50&sortings=id%20asc&fields=id&${query}`), resource);

  it("wants YYYY-MM-DDTHH:mm:ss.SSSZ and nothing else", async () => {
    const wrong = [
      "2026-03-01T10:00:00Z",
      "2026-03-01T12:00:00.000+02:00",
      "1772359200000",
      "2026-03-01",
      "2026-02-30T10:00:00.000Z",
    ];
    for (const value of wrong) {
      const reply = await tenant.read(`v1/customer?changedSince=${encodeURIComponent(value)}`);
      expect([value, reply.json]).toEqual([
        value,
        { status: 400, errorMessage: "changedSince has invalid date format" },
      ]);
    }
  });

  it("narrows by modified, the moment itself included, and totalCount counts what it leaves", async () => {
    expect(await list("customer", "changedSince=2026-03-01T10:00:00.000Z")).toEqual([first, second]);
    expect(await list("customer", "changedSince=2026-03-01T10:00:00.001Z")).toEqual([second]);
    expect(member(await tenant.read("v1/customer?changedSince=2026-03-01T10:00:00.001Z&limit=0"), "totalCount")).toBe(
      1,
    );
    time.at += 5_000;
    await tenant.write("PUT", `v1/customer/${first}`, { name: "Bäckerei Huber" });
    expect(await list("customer", "changedSince=2026-03-01T10:00:02.000Z")).toEqual([first]);
  });

  it("is ignored where the resource does not know it, where it is empty, and as a tenant has it", async () => {
    expect(await list("priority", "changedSince=2999-01-01T00:00:00.000Z")).toHaveLength(3);
    expect(await list("customer", "changedSince=")).toEqual([first, second]);
    await using other = await openTenant({ changedSince: false });
    await other.customer();
    expect(member(await other.read("v1/customer?changedSince=2999-01-01T00:00:00.000Z"), "totalCount")).toBe(1);
  });

  it("is the only filter: the full list comes back with 200 for any other", async () => {
    for (const query of ["customerId=10001", "name-eq=Huber", "nonsense=1", "tableSortings=NAME%20asc"])
      expect([query, await list("customer", query)]).toEqual([query, [first, second]]);
  });
});
