import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Asked } from "../../kit/http.ts";
import { isJsonObject, type Change, type JsonObject, type Row } from "#model";
import { jsonText } from "../../../src/sources/wire/stamps/values.ts";
import { SetClock } from "../../kit/clock.ts";
import { type WebServer, startWebServer } from "../../kit/http.ts";
import { never } from "../../kit/outcome.ts";
import { allKeys, poll } from "../reading.ts";
import { presetStream, writtenRead } from "./preset-stream.ts";
import { XentralInstance } from "./products/xentral/instance.ts";

const clock = new SetClock(Date.parse("2026-03-02T10:00:00Z"));
const dayAgo = clock.at - 86_400_000;
let xentral: XentralInstance;
let server: WebServer;
let afterAnswer: (asked: Asked) => void;

beforeEach(async () => {
  xentral = new XentralInstance(() => clock.at);
  afterAnswer = () => {};
  server = await startWebServer((asked) => {
    const told = xentral.answer(asked);
    afterAnswer(asked);
    return { ...told, headers: { date: new Date(clock.at).toUTCString(), ...told.headers } };
  });
});
afterEach(() => server[Symbol.asyncDispose]());

function fill(count: number, values: (at: number) => object = () => ({})): string[] {
  return Array.from({ length: count }, (_, at) =>
    xentral.put(
      "customers",
      { number: String(at), primaryAddress: { name: `Müller & Söhne ${at}` }, ...values(at) },
      { stamp: dayAgo },
    ),
  );
}

const stream = (read: object) =>
  presetStream({ preset: "xentral", url: server.url, auth: { kind: "bearer", token: "pat" } }, read, clock);
const customers = (read: object = {}) => stream({ table: "customers", ...read });
const rowOf = (change: Change): Row => ("row" in change ? change.row : {});
const parentOf = (change: Change): JsonObject => {
  const { parent = null } = rowOf(change);
  return isJsonObject(parent) ? parent : {};
};

describe("the preset xentral", () => {
  it("reads every row of one second, counting pages off inside it", async () => {
    fill(250);
    xentral.put("customers", {}, { stamp: dayAgo + 1000 });
    expect(new Set((await poll(await customers())).keys).size).toBe(251);
  });

  it("loses no row of that second while others leave it", async () => {
    const ids = fill(250);
    let touched = 0;
    afterAnswer = () => {
      const id = ids[touched++];
      if (id !== undefined && touched <= 40) xentral.put("customers", { id }, { stamp: clock.at + 1000 });
    };
    const read = await customers();
    const first = await poll(read);
    afterAnswer = () => {};
    clock.at += 60_000;
    const second = await poll(read, first.cursor);
    expect(new Set([...first.keys, ...second.keys]).size).toBe(250);
  });

  it("lists all keys and reads one record by one request", async () => {
    const ids = fill(230);
    const read = await customers();
    expect(new Set(await allKeys(read)).size).toBe(230);
    server.asked.length = 0;
    expect(await read.readOne(ids[7]!, never)).toMatchObject({ primaryAddress: { name: "Müller & Söhne 7" } });
    expect(server.asked).toHaveLength(1);
  });

  it("reads a record by another key than its id, and none that the filter of the stream leaves out", async () => {
    const ids = fill(3);
    const named = await customers({ key: "number" });
    expect(await named.readMany!(["2"], never)).toHaveProperty("size", 1);
    const filtered = await customers({ where: [{ key: "number", op: "equals", value: "2" }] });
    server.asked.length = 0;
    expect(await filtered.readOne(ids[2]!, never)).toMatchObject({ id: ids[2] });
    expect(server.asked).toHaveLength(1);
    expect(await filtered.readOne(ids[1]!, never)).toBeUndefined();
  });

  it("gives the contact persons that stand inside customers, with the stream that init writes", async () => {
    const ids = fill(230, (at) =>
      at === 0 || at > 220 ? { contactPersons: [{ id: `p${at}`, name: "Änne" }] } : { contactPersons: [] },
    );
    const contacts = await stream(writtenRead("xentral", "contacts"));
    const { changes } = await poll(contacts);
    expect(new Set(changes.map(({ key }) => key)).size).toBe(10);
    expect(changes.every((change) => ids.includes(jsonText(parentOf(change)["id"])))).toBe(true);
    expect(Object.keys(parentOf(changes[0]!))).toEqual(["id"]);
    expect(new Set(await allKeys(contacts)).size).toBe(10);
    xentral.put("customers", { id: ids[5]!, contactPersons: [{ id: "p5", name: "Änne" }] }, { touched: false });
    expect((await poll(contacts)).keys).toContain(`${ids[5]}|p5`);
  });

  it("says which scope a token lacks, as far as Xentral says it", async () => {
    xentral.scopes = [];
    await expect(poll(await customers())).rejects.toMatchObject({ code: "E_SOURCE_FORBIDDEN" });
  });

  it("waits as long as Xentral asks when the minute's requests are used up", async () => {
    xentral.left = 0;
    await expect(poll(await customers())).rejects.toMatchObject({ code: "E_SOURCE_BUSY", afterMs: 1000 });
  });

  it("asks for no more rows than a list gives", async () => {
    for (const name of ["customers", "contacts", "orders"])
      await expect(poll(await stream(writtenRead("xentral", name)))).resolves.toBeDefined();
  });
});
