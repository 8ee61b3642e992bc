import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isJsonObject, type Json, type JsonObject } from "#model";
import { allKeys, poll } from "../reading.ts";
import { SetClock } from "../../kit/clock.ts";
import { type Asked, type Told, type WebServer, startWebServer } from "../../kit/http.ts";
import { never } from "../../kit/outcome.ts";
import { presetStream } from "./preset-stream.ts";

interface Call {
  method: string;
  params: [
    domain: Json[],
    offset: number,
    limit: number,
    sort: [string, string][] | null,
    fields: string[],
    context: JsonObject,
  ];
}

interface Party {
  id: number;
  name: string;
  created: string;
  written: string | null;
}

const clock = new SetClock(Date.parse("2026-03-02T10:00:00Z"));
const parties = new Map<number, Party>();
let server: WebServer;

const tagged = (text: string | null): Json => {
  if (text === null) return null;
  const [year, month, day, hour, minute, second, microsecond] = text.split(/[- :.T]/).map(Number);
  return {
    __class__: "datetime",
    year: year!,
    month: month!,
    day: day!,
    hour: hour!,
    minute: minute!,
    second: second!,
    microsecond: microsecond!,
  };
};
const order = (value: Json): string =>
  isJsonObject(value)
    ? ["year", "month", "day", "hour", "minute", "second", "microsecond"]
        .map((name) => JSON.stringify(value[name]).padStart(6, "0"))
        .join()
    : "";

const wire = (party: Party): JsonObject => ({
  id: party.id,
  name: party.name,
  credit: { __class__: "Decimal", decimal: "1250.50" },
  create_date: tagged(party.created),
  write_date: tagged(party.written),
});

/** The key of the session that holds; another for each login. */
let key = "none";
let logins = 0;

function logIn({ params: [user, given] }: { params: [string, { password: string }] }): Told {
  logins++;
  if (user !== "user" || given.password !== "pw") return { status: 401, body: "401" };
  key = `session${logins}`;
  return { body: { id: 0, result: [7, key] } };
}

/** A clause is a list of clauses, of which all hold, one of those behind "OR", or a condition. */
function fits(row: JsonObject, clause: Json[]): boolean {
  const [first] = clause;
  if (first === "OR") return clause.slice(1).some((one) => Array.isArray(one) && fits(row, one));
  if (typeof first !== "string") return clause.every((one) => Array.isArray(one) && fits(row, one));
  const [, operator, value = null] = clause;
  const found = row[first] ?? null;
  if (operator === "=") return found === value;
  if (first === "id") return Number(found) > Number(value);
  if (found === null) return false;
  return operator === ">=" ? order(found) >= order(value) : order(found) < order(value);
}

function trytond({ path, body, headers }: Asked): Told {
  expect(path).toBe("/db/");
  const { method, params }: Call = JSON.parse(body);
  if (method === "common.db.login") return logIn(JSON.parse(body));
  if (headers.authorization !== `Session ${Buffer.from(`user:7:${key}`).toString("base64")}`)
    return { status: 401, body: "401" };
  expect(method).toBe("model.party.party.search_read");
  const [domain, , limit, sort, , context] = params;
  expect(context).toEqual({ active_test: false });
  if (JSON.stringify(domain).includes("no_such"))
    return { body: { id: 0, error: ["UserError", ["Invalid domain", ""], null] } };
  const first = sort?.[0]?.[0] ?? "id";
  const rows = [...parties.values()]
    .map(wire)
    .filter((row) => fits(row, domain))
    .toSorted(
      (a, b) => (first === "id" ? 0 : order(a[first]!).localeCompare(order(b[first]!))) || +a["id"]! - +b["id"]!,
    )
    .slice(0, limit);
  return { body: { id: 0, result: rows } };
}

beforeEach(async () => {
  logins = 0;
  parties.clear();
  server = await startWebServer(trytond);
});
afterEach(() => server[Symbol.asyncDispose]());

function stream(read: object = {}, password = "pw") {
  const auth = { kind: "basic", username: "user", password };
  const settings = { preset: "tryton", url: `${server.url}/db`, auth };
  return presetStream(settings, { table: "party.party", fields: ["name", "credit"], size: 10, ...read }, clock);
}

describe("the preset tryton", () => {
  it("sees records that were never written again, and those that were", async () => {
    for (let id = 1; id <= 30; id++)
      parties.set(id, {
        id,
        name: `Party ${id}`,
        created: "2026-03-01 09:00:00.000123",
        written: id % 2 === 0 ? "2026-03-01 10:00:00.000456" : null,
      });
    const customers = await stream();
    const first = await poll(customers);
    expect(new Set(first.keys).size).toBe(30);
    expect(first.changes.find(({ key }) => key === "2")).toMatchObject({
      row: { id: 2, name: "Party 2", credit: "1250.50", write_date: "2026-03-01T10:00:00.000456" },
    });
    const second = await poll(customers, first.cursor);
    parties.get(1)!.written = "2026-03-02 09:59:00.000001";
    clock.at += 10_000;
    expect((await poll(customers, second.cursor)).keys).toEqual(["1"]);
  });

  it("lists keys and reads one record", async () => {
    parties.set(7, { id: 7, name: "Seven", created: "2026-03-01 09:00:00.0", written: null });
    expect(await allKeys(await stream())).toEqual(["7"]);
    expect(await (await stream()).readOne("7", never)).toMatchObject({ name: "Seven" });
    expect(await (await stream()).readOne("8", never)).toBeUndefined();
  });

  it("reads no record by its key that the filter of the stream leaves out", async () => {
    parties.set(7, { id: 7, name: "Seven", created: "2026-03-01 09:00:00.0", written: null });
    const others = await stream({ where: [["name", "=", "Eight"]] });
    expect(await others.readOne("7", never)).toBeUndefined();
  });

  it("keeps a condition with OR apart from those that it adds", async () => {
    for (let id = 1; id <= 45; id++)
      parties.set(id, { id, name: "ABC"[id % 3]!, created: "2026-03-01 09:00:00.0", written: null });
    const customers = await stream({ where: ["OR", ["name", "=", "A"], ["name", "=", "B"]] });
    const first = await poll(customers);
    expect(new Set(first.keys).size).toBe(30);
    parties.get(3)!.written = "2026-03-02 09:59:00.000001";
    clock.at += 10_000;
    expect((await poll(customers, first.cursor)).keys).toContain("3");
    expect(await customers.readOne("43", never)).toMatchObject({ name: "B" });
    expect(await customers.readOne("44", never)).toBeUndefined();
  });

  it("takes an error in a 200 for an error", async () => {
    const failing = stream({ where: [["no_such", "=", 1]] });
    await expect(poll(await failing)).rejects.toMatchObject({
      code: "E_SOURCE_REQUEST",
      message: expect.stringContaining("Invalid domain"),
    });
  });

  it.each([
    [["'nam'", ""], /Tryton has no field nam in party\.party: correct `fields`/],
    [["'party.party'", "Traceback …"], /Tryton has no model party\.party: correct `table`/],
    [["UserError", ["You may not read this", ""], null], /Tryton refused to read party\.party: UserError: You may not/],
    [["", []], /Tryton refused to read party\.party: it gave no reason/],
  ])("says of the error %j what is wrong and what to correct", async (error, message) => {
    const customers = await stream();
    await allKeys(customers);
    server.instead.push({ body: { id: 0, error } });
    await expect(poll(customers)).rejects.toThrow(message);
  });

  it("logs in once, and again when the session is refused, however many ask", async () => {
    parties.set(7, { id: 7, name: "Seven", created: "2026-03-01 09:00:00.0", written: null });
    const customers = await stream();
    for (let at = 0; at < 3; at++) expect(await allKeys(customers)).toEqual(["7"]);
    expect(logins).toBe(1);
    key = "ended";
    await Promise.all([allKeys(customers), allKeys(customers), customers.readOne("7", never)]);
    expect(logins).toBe(2);
    expect(server.asked.some(({ headers }) => headers.authorization?.startsWith("Basic"))).toBe(false);
  });

  it("sends a wrong password once per try, and says so without saying it", async () => {
    const customers = await stream({}, "hunter2");
    await expect(poll(customers)).rejects.toMatchObject({
      code: "E_SOURCE_LOGIN",
      family: "park",
      message: expect.not.stringContaining("hunter2"),
    });
    expect(logins).toBe(1);
  });

  it("waits as long as Tryton says where it locked the user out", async () => {
    server.instead.push({ status: 429, headers: { "retry-after": "120" } });
    const customers = await stream();
    await expect(poll(customers)).rejects.toMatchObject({ code: "E_SOURCE_BUSY", afterMs: 120_000 });
    await poll(customers);
    const lockedOut = { status: 429, headers: { "retry-after": "1" } };
    server.instead.push({ status: 401 }, lockedOut, lockedOut);
    await expect(poll(customers)).rejects.toMatchObject({ code: "E_SOURCE_BUSY", afterMs: 1_000 });
    expect(server.instead).toHaveLength(1);
  });

  it.each([null, false, [7]])("takes the result %j of a login for a refusal", async (result) => {
    server.instead.push({ body: { id: 0, result } });
    await expect(poll(await stream())).rejects.toMatchObject({ code: "E_SOURCE_LOGIN" });
  });

  it("must be told the fields", async () => {
    await expect(stream({ fields: undefined })).rejects.toMatchObject({ code: "E_SOURCE_SETTINGS" });
  });
});
