import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSampleErp, startSandbox, type SampleErpOptions } from "#sandbox";

const NOW = Date.parse("2026-03-01T10:00:00.000Z");
const clock = { now: () => NOW };

describe("the sample ERP", () => {
  let folder: string;
  let files = 0;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "sample-erp-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const path = () => join(folder, `${++files}.db`);
  const make = (options: SampleErpOptions = {}) => createSampleErp(path(), { clock, ...options });

  it("is the same for the same seed, and another for another", () => {
    using first = make({ seed: 7 });
    using same = make({ seed: 7 });
    using other = make({ seed: 8 });
    for (const table of ["customers", "contacts", "tickets", "service_orders"] as const) {
      expect(same.all(table)).toEqual(first.all(table));
      expect(other.all(table)).not.toEqual(first.all(table));
    }
    expect([first.all("customers").length, first.all("contacts").length]).toEqual([500, 1_200]);
    expect([first.all("tickets").length, first.all("service_orders").length]).toEqual([800, 600]);
  });

  it("has what real data has: umlauts, quotes, empty texts, NULLs, flags", () => {
    using erp = make();
    const customers = erp.all("customers");
    const contacts = erp.all("contacts");
    const text = JSON.stringify([customers, contacts]);
    for (const sign of ["ä", "ö", "ü", "ß", "'", '\\"', "\\n"]) expect(text).toContain(sign);
    expect(contacts.some((row) => row.email === null)).toBe(true);
    expect(contacts.some((row) => row.first_name === null)).toBe(true);
    expect(contacts.some((row) => row.first_name === "")).toBe(true);
    expect(new Set(contacts.map((row) => row.gender))).toEqual(new Set(["m", "f", null]));
    expect(customers.some((row) => row.deleted === 1)).toBe(true);
    expect(new Set(customers.map((row) => row.status))).toEqual(new Set(["A", "I", "P"]));
    expect(customers.every((row) => row.name1 !== "")).toBe(true);
    expect(contacts.every((row) => row.email === null || /^[a-z.0-9]+@example\.com$/.test(row.email))).toBe(true);
    expect(erp.all("service_orders").every((row) => /^\d+\.\d\d$/.test(row.amount))).toBe(true);
  });

  it("has equal stamps in bulk, children changed before their parents, and all stamps in UTC text", () => {
    using erp = make();
    const stamps = erp.all("customers").map((row) => row.updated_at);
    for (const stamp of stamps) expect(stamp).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}$/);
    expect(stamps.every((stamp) => stamp <= "2026-03-01 10:00:00.000")).toBe(true);
    const counts = new Map<string, number>();
    for (const stamp of stamps) counts.set(stamp, (counts.get(stamp) ?? 0) + 1);
    expect(Math.max(...counts.values())).toBeGreaterThan(5);
    const parents = new Map(erp.all("customers").map((row) => [row.customer_no, row.updated_at]));
    expect(erp.all("contacts").some((row) => row.updated_at < (parents.get(row.customer_no) ?? ""))).toBe(true);
  });

  it("links only to rows that exist", () => {
    using erp = make({ customers: 20, contacts: 40, tickets: 50, orders: 50 });
    const customers = new Set(erp.all("customers").map((row) => row.customer_no));
    const contacts = new Set(erp.all("contacts").map((row) => `${row.customer_no}/${row.contact_no}`));
    const tickets = new Set(erp.all("tickets").map((row) => row.ticket_no));
    for (const row of [...erp.all("contacts"), ...erp.all("tickets"), ...erp.all("service_orders")])
      expect(customers).toContain(row.customer_no);
    const asked = erp.all("tickets").filter((row) => row.contact_no !== null);
    const caused = erp.all("service_orders").filter((row) => row.ticket_no !== null);
    expect([asked.length > 0, caused.length > 0]).toEqual([true, true]);
    for (const row of asked) expect(contacts).toContain(`${row.customer_no}/${row.contact_no}`);
    for (const row of caused) expect(tickets).toContain(row.ticket_no);
  });

  it("uses only names that the sandbox has as reference data", async () => {
    await using sandbox = await startSandbox();
    using erp = make();
    const names = (resource: string) => new Set(sandbox.records(resource).map((record) => record["name"]));
    const tags = erp.all("tickets").flatMap((row) => row.tags?.split(",") ?? []);
    expect(tags.length).toBeGreaterThan(100);
    for (const tag of tags) expect(names("tag")).toContain(tag);
    expect(names("customerStatus")).toEqual(new Set(["Active", "Inactive", "Prospect"]));
    expect(names("priority")).toEqual(new Set(["Low", "Normal", "High"]));
    const behaviours = Object.fromEntries(
      sandbox.records("ticketStatus").map((record) => [record["name"], record["behaviour"]]),
    );
    expect(behaviours).toMatchObject({ Open: "NORMAL", Waiting: "PAUSED", Closed: "CLOSED" });
  });

  it("makes a hundred thousand rows", () => {
    using erp = make({ customers: 30_000, contacts: 50_000, tickets: 10_000, orders: 10_000 });
    expect(erp.all("contacts")).toHaveLength(50_000);
  });

  it("changes rows live, each with the clock's present as stamp", () => {
    const time = { at: NOW };
    using erp = make({ customers: 5, contacts: 5, tickets: 5, orders: 5, clock: { now: () => time.at } });
    const customer = () => erp.all("customers").find((row) => row.customer_no === "10001");
    const step = (change: () => void) => {
      time.at += 1_000;
      change();
      return new Date(time.at).toISOString().replace("T", " ").slice(0, -1);
    };
    let stamp = step(() => erp.renameCustomer("10001", 'Neu "Größer"'));
    expect(customer()).toMatchObject({ name1: 'Neu "Größer"', updated_at: stamp });
    stamp = step(() => erp.touch("customers", ["10001"]));
    expect(customer()).toMatchObject({ name1: 'Neu "Größer"', updated_at: stamp });
    stamp = step(() => erp.flagDeleted("customers", ["10001"]));
    expect(customer()).toMatchObject({ deleted: 1, updated_at: stamp });
    stamp = step(() => erp.insertCustomer({ customer_no: "99", name1: "Neukunde" }));
    expect(erp.all("customers").at(-1)).toMatchObject({
      customer_no: "99",
      name1: "Neukunde",
      status: "A",
      updated_at: stamp,
    });
    stamp = step(() => erp.insertContact({ customer_no: "99", contact_no: 1, email: null }));
    expect(erp.all("contacts").at(-1)).toMatchObject({ customer_no: "99", contact_no: 1, updated_at: stamp });
    stamp = step(() => erp.insertTicket({ ticket_no: "T-9", customer_no: "99", tags: "VIP" }));
    expect(erp.all("tickets").at(-1)).toMatchObject({
      ticket_no: "T-9",
      tags: "VIP",
      status: "open",
      updated_at: stamp,
    });
    stamp = step(() => erp.insertOrder({ order_no: "A-9", customer_no: "99", ticket_no: "T-9", amount: "12.50" }));
    expect(erp.all("service_orders").at(-1)).toMatchObject({ order_no: "A-9", amount: "12.50", updated_at: stamp });
    stamp = step(() => erp.change("tickets", ["T-9"], { status: "closed" }));
    expect(erp.all("tickets").at(-1)).toMatchObject({ status: "closed", updated_at: stamp });
    erp.deleteRow("contacts", ["99", 1]);
    expect(erp.all("contacts").some((row) => row.customer_no === "99")).toBe(false);
    expect(() => erp.touch("customers", ["4711"])).toThrow(expect.objectContaining({ code: "E_SAMPLE_ERP_ROW" }));
  });

  it("a broken customer has no name, which the service requires", () => {
    using erp = make({ customers: 2, contacts: 0, tickets: 0, orders: 0 });
    erp.breakOne("10002");
    expect(erp.all("customers").at(-1)).toMatchObject({ customer_no: "10002", name1: "", name2: "" });
  });

  it("overwrites nothing", () => {
    const file = path();
    createSampleErp(file, { customers: 3, contacts: 0, tickets: 0, orders: 0 })[Symbol.dispose]();
    expect(() => createSampleErp(file)).toThrow(expect.objectContaining({ code: "E_SAMPLE_ERP_EXISTS" }));
  });
});
