import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { idsOf, member, openTenant, type Tenant } from "./tenant.ts";

describe("filters of lists", () => {
  const time = { at: Date.parse("2026-03-01T10:00:00.000Z") };
  let tenant: Tenant;
  let [first, second] = [0, 0];
  let contacts: number[];
  let tickets: number[];
  beforeAll(async () => {
    tenant = await openTenant({ clock: { now: () => time.at } });
    first = await tenant.customer({ name: "Bäckerei Huber", customerId: "10001" });
    time.at += 1_000;
    second = await tenant.customer({
      name: "Hotel Post",
      customerId: "10002",
      customerStatus: tenant.named("customerStatus", "Inactive"),
    });
    const contact = async (customer: number, name: string) =>
      (await tenant.write("POST", "v1/customerContact", { name, customer, email: `${name}@example.com` })).id;
    contacts = [await contact(first, "eins"), await contact(first, "zwei"), await contact(second, "drei")];
    const [vip, repair] = [tenant.named("tag", "VIP"), tenant.named("tag", "Wartung")];
    const closed = tenant.named("ticketStatus", "Closed");
    tickets = [
      await tenant.ticket({ customer: first, tags: [vip, repair], erpReferenceNumber: "T-1" }),
      await tenant.ticket({ customer: second, tags: [vip], ticketStatus: closed }),
      await tenant.ticket({ priority: tenant.named("priority", "High"), billable: true }),
    ];
  });
  afterAll(() => tenant[Symbol.asyncDispose]());

  const list = async (resource: string, query: string) =>
    idsOf(await tenant.read(`v1/${resource}?limit=50&sortings=id%20asc&fields=id&${query}`), resource);
  const ticketsAt = (...places: number[]) => places.map((at) => tickets[at]);

  it("links and lists of ids narrow", async () => {
    expect(await list("customerContact", `customer=${first}`)).toEqual(contacts.slice(0, 2));
    expect(await list("customerContact", `customerIds=${first},${second}`)).toEqual(contacts);
    expect(await list("customerContact", `notCustomerIds=${first}`)).toEqual(contacts.slice(2));
    expect(await list("customerContact", `customerStatusIds=${tenant.named("customerStatus", "Inactive")}`)).toEqual(
      contacts.slice(2),
    );
    expect(await list("customerContact", `ids=${contacts[2]},${contacts[0]},4711`)).toEqual([contacts[0], contacts[2]]);
    expect(await list("customer", `status=${tenant.named("customerStatus", "Inactive")}`)).toEqual([second]);
  });

  it("tickets narrow by status, priority, tags and flags", async () => {
    const [vip, repair] = [tenant.named("tag", "VIP"), tenant.named("tag", "Wartung")];
    const closed = tenant.named("ticketStatus", "Closed");
    expect(await list("ticket", `ticketStatuses=${closed}`)).toEqual(ticketsAt(1));
    expect(await list("ticket", `notTicketStatuses=${closed}`)).toEqual(ticketsAt(0, 2));
    expect(await list("ticket", "notClosed=1")).toEqual(ticketsAt(0, 2));
    expect(await list("ticket", `tagIds=${vip},${repair}`)).toEqual(ticketsAt(0, 1));
    expect(await list("ticket", `tagIdsCombined=${vip},${repair}`)).toEqual(ticketsAt(0));
    expect(await list("ticket", `notTagIds=${repair}`)).toEqual(ticketsAt(1, 2));
    expect(await list("ticket", "tagNames=Wartung")).toEqual(ticketsAt(0));
    expect(await list("ticket", "billable=1")).toEqual(ticketsAt(2));
    expect(await list("ticket", "billable=true")).toEqual(ticketsAt(2));
    expect(await list("ticket", `priorityIds=${tenant.named("priority", "High")}`)).toEqual(ticketsAt(2));
    expect(await list("ticket", "creatorSources=ERP")).toEqual([]);
  });

  it("totalCount counts what the filters leave, and an impossible value leaves nothing", async () => {
    expect(member(await tenant.read(`v1/customerContact?customer=${first}&limit=0`), "totalCount")).toBe(2);
    expect(member(await tenant.read("v1/customerContact?customer=-1&limit=0"), "totalCount")).toBe(0);
  });

  it("unknown and unsupported filters are ignored: the full list comes back with 200", async () => {
    for (const query of ["customerId=10001", "name-eq=Huber", "nonsense=1", "tableSortings=NAME%20asc"])
      expect([query, await list("customer", query)]).toEqual([query, [first, second]]);
    expect(await list("ticket", "erpReferenceNumber=T-1")).toEqual(tickets);
  });

  it("a value of the wrong kind is refused, an empty one filters nothing", async () => {
    expect((await tenant.read("v1/customerContact?customer=abc")).status).toBe(400);
    expect((await tenant.read("v1/ticket?billable=maybe")).status).toBe(400);
    expect(await list("customerContact", "customer=")).toEqual(contacts);
  });

  it("search covers what it is known to cover, in upper and lower case, every word", async () => {
    expect(await list("customer", "search=huber%20BÄCK")).toEqual([first]);
    expect(await list("customer", "search=10002")).toEqual([second]);
    expect(await list("ticket", "search=t-1")).toEqual(ticketsAt(0));
    expect(await list("tag", "search=zzz")).toHaveLength(tenant.sandbox.records("tag").length);
  });

  it("changedSince wants YYYY-MM-DDTHH:mm:ss.SSSZ and nothing else", async () => {
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

  it("changedSince filters on modified", async () => {
    expect(await list("customer", "changedSince=2026-03-01T10:00:00.000Z")).toEqual([first, second]);
    expect(await list("customer", "changedSince=2026-03-01T10:00:00.001Z")).toEqual([second]);
    time.at += 5_000;
    await tenant.write("PUT", `v1/customer/${first}`, { name: "Bäckerei Huber" });
    expect(await list("customer", "changedSince=2026-03-01T10:00:02.000Z")).toEqual([first]);
    expect(await list("priority", "changedSince=2999-01-01T00:00:00.000Z")).toHaveLength(3);
  });
});
