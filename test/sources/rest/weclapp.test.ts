import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isJsonObject, type Change, type JsonObject, type Row } from "#model";
import { valueAt } from "../../../src/sources/wire/stamps/values.ts";
import { SetClock } from "../../kit/clock.ts";
import { type WebServer, startWebServer } from "../../kit/http.ts";
import { never } from "../../kit/outcome.ts";
import { allKeys, poll } from "../reading.ts";
import { presetStream, writtenRead } from "./preset-stream.ts";
import { BUSY, problem, WeclappTenant } from "./products/weclapp/tenant.ts";

const clock = new SetClock(Date.parse("2026-03-02T10:00:00Z"));
const hourAgo = clock.at - 3_600_000;
let tenant: WeclappTenant;
let server: WebServer;
/** Filters that the tenant does not know. */
let deaf: RegExp;

beforeEach(async () => {
  tenant = new WeclappTenant(() => clock.at);
  deaf = /^$/;
  server = await startWebServer((asked) => {
    for (const name of asked.query.keys().toArray()) if (deaf.test(name)) asked.query.delete(name);
    const told = tenant.answer(asked);
    return { ...told, headers: { date: new Date(clock.at).toUTCString(), ...told.headers } };
  });
});
afterEach(() => server[Symbol.asyncDispose]());

function companies(count: number, values: object = {}): string[] {
  return Array.from({ length: count }, (_, at) =>
    tenant.put("party", { company: `Müller & Söhne ${at}`, customer: true, ...values }, { stamp: hourAgo }),
  );
}

function stream(read: object) {
  const auth = { kind: "header", name: "AuthenticationToken", value: "t0ken" };
  return presetStream({ preset: "weclapp", url: `${server.url}/webapp/api/v2/`, auth }, read, clock);
}
const party = (read: object = {}) => stream({ table: "party", where: { "customer-eq": true }, size: 25, ...read });
const rowOf = (change: Change): Row => ("row" in change ? change.row : {});
const parentOf = (change: Change): JsonObject => {
  const { parent = null } = rowOf(change);
  return isJsonObject(parent) ? parent : {};
};

describe("the preset weclapp", () => {
  it("reads every row of one millisecond and sends its fixed filter along", async () => {
    companies(80);
    companies(5, { customer: false });
    expect(new Set((await poll(await party())).keys).size).toBe(80);
    expect(server.asked.every(({ query }) => query.get("customer-eq") === "true")).toBe(true);
  });

  it("stops when the tenant ignores the filter", async () => {
    companies(3);
    const read = await party();
    const { cursor } = await poll(read);
    deaf = /./;
    await expect(poll(read, cursor)).rejects.toMatchObject({ code: "E_SOURCE_FILTER_IGNORED" });
  });

  it.each([
    ["the tenant ignores", { "customer-eq": true }, /^customer-/, "has false"],
    ["is misspelt, which the tenant ignores too", { "custmer-eq": true }, /^$/, "has no such property"],
  ])("stops at a fixed filter that %s", async (_why, where, unknown, found) => {
    companies(2);
    companies(1, { customer: false });
    deaf = unknown;
    const read = await party({ where });
    const ignored = { code: "E_SOURCE_FILTER_IGNORED", message: expect.stringContaining(found) };
    await expect(poll(read)).rejects.toMatchObject(ignored);
  });

  it("reads on when the server cuts pages shorter than asked", async () => {
    companies(1500);
    expect(new Set((await poll(await party({ size: 5000 }))).keys).size).toBe(1500);
  });

  it("lists all keys and reads one record", async () => {
    const ids = companies(60);
    const read = await party();
    expect(await allKeys(read)).toHaveLength(60);
    expect(server.asked.at(-1)!.query.get("properties")).toBe("id,customer,lastModifiedDate");
    expect(await read.readOne(ids[59]!, never)).toMatchObject({ company: "Müller & Söhne 59" });
    expect(await read.readOne("1", never)).toBeUndefined();
  });

  it("reads no record by its key that the filter of the stream leaves out", async () => {
    const [customer] = companies(1);
    const [supplier] = companies(1, { customer: false });
    const read = await party();
    expect(await read.readOne(customer!, never)).toMatchObject({ id: customer });
    expect(await read.readOne(supplier!, never)).toBeUndefined();
  });

  it("gives the contacts of a company, which lists them, with the stream that init writes", async () => {
    const mia = tenant.put("party", { partyType: "PERSON", firstName: "Mia", lastName: "Muster" });
    const [one, other] = companies(2, { contacts: [{ id: mia }] });
    companies(1, { contacts: [] });
    const contacts = await stream(writtenRead("weclapp", "contacts"));
    const { changes } = await poll(contacts);
    expect(changes.map((change) => [change.key, parentOf(change)["id"], rowOf(change)["lastName"]])).toEqual([
      [`${one}|${mia}`, one, "Muster"],
      [`${other}|${mia}`, other, "Muster"],
    ]);
    expect(await allKeys(contacts)).toEqual([`${one}|${mia}`, `${other}|${mia}`]);
    expect(await contacts.readOne(`${other}|${mia}`, never)).toMatchObject({ lastName: "Muster" });
    expect(await contacts.readOne(`${other}|7`, never)).toBeUndefined();
  });

  it("reads on over pages of companies without any contact", async () => {
    const mia = tenant.put("party", { partyType: "PERSON", lastName: "Muster" });
    companies(7);
    companies(1, { contacts: [{ id: mia }] });
    const contacts = await stream({ ...writtenRead("weclapp", "contacts"), size: 2 });
    expect((await poll(contacts)).keys).toHaveLength(1);
    expect(await allKeys(contacts)).toHaveLength(1);
  });

  it("puts the status that a ticket refers to into its row, and null where it refers to none", async () => {
    const closed = tenant.put("ticketStatus", { name: "Fertig", internalTicketStatus: "CLOSED" });
    tenant.put("ticket", { isTemplate: false, ticketStatusId: closed });
    tenant.put("ticket", { isTemplate: false, ticketStatusId: null });
    const { changes } = await poll(await stream(writtenRead("weclapp", "tickets")));
    expect(changes.map((change) => valueAt(rowOf(change), "ticketStatus.internalTicketStatus") ?? null)).toEqual([
      "CLOSED",
      null,
    ]);
    expect(valueAt(rowOf(changes[1]!), "ticketStatus")).toBeNull();
  });

  it("parks a ticket alone whose status the answer does not have: null would mean that it is open", async () => {
    const closed = tenant.put("ticketStatus", { name: "Fertig", internalTicketStatus: "CLOSED" });
    const one = tenant.put("ticket", { isTemplate: false, ticketStatusId: closed });
    const unseen = tenant.put("ticket", { isTemplate: false, ticketStatusId: "7" });
    const tickets = await stream(writtenRead("weclapp", "tickets"));
    const { keys, batches } = await poll(tickets);
    expect(keys).toEqual([one]);
    expect(batches.flatMap(({ unreadable = [] }) => unreadable)).toEqual([
      { key: unseen, place: "ticket", reason: expect.stringContaining("ticketStatusId is 7") },
    ]);
    await expect(tickets.readOne(unseen, never)).rejects.toMatchObject({ code: "E_ROW_UNREADABLE" });
    expect(await allKeys(tickets)).toEqual([one, unseen]);
  });

  it("lists the members of rows that refer to something, also where a filter names the same property", async () => {
    const language = tenant.put("commercialLanguage", { languageCode: "de" });
    const [id] = companies(1, { commercialLanguageId: language, contacts: [{ id: "3" }] });
    const where = { "customer-eq": true, "commercialLanguageId-eq": language };
    const members = await party({ where, include: ["commercialLanguageId"], each: { in: "contacts", key: "id" } });
    expect(await allKeys(members)).toEqual([`${id}|3`]);
  });

  it.each([
    ["a conflict in its database", problem(409, "persistence", "persistence error")],
    ["a time limit of its own", problem(400, "request_timeout", "request timeout")],
  ])("tries again after %s", async (_what, told) => {
    companies(1);
    server.instead.push(told);
    expect((await poll(await party())).keys).toHaveLength(1);
  });

  it("does not try again what is simply wrong", async () => {
    companies(1);
    await expect(poll(await party({ fields: ["customerName"] }))).rejects.toMatchObject({
      code: "E_SOURCE_REQUEST",
      message: expect.stringContaining("unknown property customerName"),
    });
    expect(server.asked).toHaveLength(1);
  });

  it("waits at a tenant above its limit, which names no time", async () => {
    server.instead.push(BUSY);
    await expect(poll(await party())).rejects.toMatchObject({ code: "E_SOURCE_BUSY", afterMs: 30_000 });
  });

  it("says that a token was ended by a newer one", async () => {
    tenant.token = "new";
    await expect(poll(await party())).rejects.toMatchObject({ code: "E_SOURCE_LOGIN" });
  });
});
