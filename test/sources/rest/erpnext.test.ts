import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { Sweeper } from "#pipeline";
import { readPresets } from "../../../src/cli/init/presets.ts";
import { Scene } from "../../conformance/store-scene.ts";
import { silentLogger } from "../../kit/logger.ts";
import { memoryPlace } from "../../store/memory-place.ts";
import { MemoryErp } from "../memory-erp.ts";
import { allKeys, poll } from "../reading.ts";
import { SetClock } from "../../kit/clock.ts";
import { type Asked, type Told, type WebServer, startWebServer } from "../../kit/http.ts";
import { never } from "../../kit/outcome.ts";
import { presetStream } from "./preset-stream.ts";

const clock = new SetClock(0);
const erp = new MemoryErp();
let gone: { deleted_name: string; creation: string; restored: number }[];
let server: WebServer;
let answer: (asked: Asked) => Told;
/** Customers that `disabled = 0` leaves out. */
const disabled = new Set<number>();

const DAY = "2026-03-02";
const stampOf = (time: string) => Date.parse(`${DAY}T${time}Z`) * 1000;
const text = (stamp: number) =>
  new Date(stamp / 1000)
    .toISOString()
    .replace("T", " ")
    .replace("Z", String(stamp % 1000).padStart(3, "0"));
const name = (id: number) => `CUST-${String(id).padStart(5, "0")}`;

/** Frappe as documented: 20 rows and `name` alone unless told otherwise, filters as JSON, local stamps with microseconds. */
function frappe({ path, query, headers }: Asked): Told {
  if (headers.authorization !== "token key:secret") return { status: 401, body: { exc_type: "AuthenticationError" } };
  const parts = decodeURIComponent(path).split("/").slice(3);
  const filters: [string, string, string | number][] = JSON.parse(query.get("filters") ?? "[]");
  const valueOf = (field: string, operator: string) => filters.find((it) => it[0] === field && it[1] === operator)?.[2];
  if (parts[0] === "Deleted Document") {
    const from = String(valueOf("creation", ">=") ?? "");
    return { body: { data: gone.filter(({ creation, restored }) => restored === 0 && creation >= from) } };
  }
  const row = (id: number) => {
    const found = erp.rows.get(id)!;
    return { name: name(id), customer_name: found.name, modified: text(found.stamp!) };
  };
  const wanted = valueOf("name", "=");
  if (wanted !== undefined) {
    const isMeant = (id: number) => valueOf("disabled", "=") === undefined || !disabled.has(id);
    const ids = [...erp.rows.keys()].filter((id) => name(id) === wanted && isMeant(id));
    return { body: { data: ids.map(row) } };
  }
  const bound = (operator: string) => {
    const value = valueOf("modified", operator);
    if (value === undefined) return undefined;
    const [whole = "", micro = "0"] = String(value).split(".");
    return Date.parse(`${whole.replace(" ", "T")}Z`) * 1000 + Number(micro);
  };
  const after = valueOf("name", ">");
  const rows = erp.select({
    from: bound(">="),
    below: bound("<"),
    after: after === undefined ? undefined : Number(String(after).slice(5)),
    order: query.get("order_by") === "modified asc,name asc" ? "stamp" : "id",
    limit: Number(query.get("limit_page_length") ?? 20),
  });
  const all = query.get("fields") === '["*"]';
  return { body: { data: rows.map(({ id }) => (all ? row(id) : { name: name(id), modified: row(id).modified })) } };
}

beforeEach(async () => {
  erp.rows.clear();
  gone = [];
  disabled.clear();
  // The site's clock shows 12:00 in Berlin.
  clock.at = Date.parse(`${DAY}T11:00:00Z`);
  answer = frappe;
  server = await startWebServer((asked) => answer(asked));
});
afterEach(() => server[Symbol.asyncDispose]());

function customers(read: object = {}) {
  const auth = { kind: "header", name: "Authorization", value: "token key:secret" };
  const settings = { preset: "erpnext", url: server.url, auth, timezone: "Europe/Berlin" };
  return presetStream(settings, { table: "Customer", size: 20, ...read }, clock);
}

describe("the preset erpnext", () => {
  it("reads every row with all its fields, also where hundreds share a microsecond", async () => {
    erp.fill(90, stampOf("11:00:00") + 7);
    const first = await poll(await customers());
    expect(new Set(first.keys).size).toBe(90);
    expect(first.changes[0]).toMatchObject({ key: "CUST-00001", row: { customer_name: "Müller & Söhne 1" } });
  });

  it("bounds the window by the site's time zone", async () => {
    erp.put(1, stampOf("11:59:00"));
    const stream = await customers();
    await poll(stream, { read: clock.at });
    const filters = server.asked[0]!.query.get("filters")!;
    expect(JSON.parse(filters)).toEqual([["modified", ">=", "2026-03-02 11:44:58.000000"]]);
  });

  it("gives deletions from Deleted Document, unless the record is there again", async () => {
    erp.put(2, stampOf("11:00:00"));
    const stream = await customers();
    gone.push(
      { deleted_name: name(1), creation: `${DAY} 11:30:00.000000`, restored: 0 },
      { deleted_name: name(2), creation: `${DAY} 11:31:00.000000`, restored: 0 },
      { deleted_name: name(1), creation: `${DAY} 11:31:30.000000`, restored: 0 },
      { deleted_name: name(3), creation: `${DAY} 11:32:00.000000`, restored: 1 },
    );
    const changes = [];
    for await (const batch of stream.deletions!(null, never)) changes.push(...batch.changes);
    const deleted = { kind: "delete", key: "CUST-00001" };
    expect(changes).toEqual([deleted, deleted]);
  });

  it("takes the old name of a renamed record, which no list tells of, for deleted", async () => {
    erp.put(1, stampOf("11:00:00"));
    erp.put(2, stampOf("11:00:00"));
    await using scene = await Scene.open(memoryPlace);
    const { store } = scene;
    const stream = await customers();
    const sweeper = new Sweeper({ store, streams: new Map(), clock, logger: silentLogger, intervalMs: 60_000 });
    const sweep = async () => {
      clock.advance(60_000);
      await sweeper.sweepIfDue("customers", stream, never);
    };
    await sweep();
    erp.rows.delete(1);
    erp.put(3, stampOf("11:00:00"));
    await sweep();
    await sweep();
    const record = (key: string) => store.record({ stream: "customers", key });
    expect(await record("CUST-00001")).toMatchObject({ deleted: true });
    expect(await record("CUST-00002")).toMatchObject({ deleted: false });
    expect(await record("CUST-00003")).toMatchObject({ deleted: false });
  });

  it("lists all keys and reads one record", async () => {
    erp.fill(45, stampOf("11:00:00"));
    const stream = await customers();
    expect(await allKeys(stream)).toHaveLength(45);
    expect(await stream.readOne("CUST-00045", never)).toMatchObject({ name: "CUST-00045" });
    expect(await stream.readOne("CUST-00046", never)).toBeUndefined();
  });

  it("reads a contact once, by its link to a customer, with the stream that init writes", async () => {
    const { syncFile } = readPresets().find((preset) => preset.name === "erpnext")!;
    const { read } = parse(syncFile).streams.contacts;
    const links = [
      { link_doctype: "Customer", link_name: "CUST-00001", parenttype: "Contact" },
      { link_doctype: "Supplier", link_name: "SUPP-00001", parenttype: "Contact" },
      // Of an address with the same name: the tables are joined by it alone.
      { link_doctype: "Customer", link_name: "CUST-00002", parenttype: "Address" },
    ];
    answer = ({ path, query }) => {
      expect(path).toBe("/api/resource/Contact");
      const filters: string[][] = JSON.parse(query.get("filters")!);
      if (filters.some(([field, operator]) => field === "name" && operator === ">")) return { body: { data: [] } };
      const ofLinks = filters.filter(([docType]) => docType === "Dynamic Link");
      const joined = links.filter((link) => ofLinks.every(([, field, , value]) => Reflect.get(link, field!) === value));
      return { body: { data: joined.map((link) => ({ name: "Mia", modified: text(stampOf("11:00:00")), ...link })) } };
    };
    const { changes } = await poll(await customers({ ...read }));
    expect(changes.map((change) => "row" in change && change.row["link_name"])).toEqual(["CUST-00001"]);
  });

  it("reads a contact of several customers with the same one of them each time", async () => {
    const { syncFile } = readPresets().find((preset) => preset.name === "erpnext")!;
    const { read } = parse(syncFile).streams.contacts;
    // Frappe gives a contact once for each of its links, in any order.
    const linked = Array.from({ length: 5 }, (_, id) =>
      ["C", "A", "B"].map((link_name) => ({ name: name(id), link_name })),
    );
    answer = ({ query }) => {
      const filters: string[][] = JSON.parse(query.get("filters")!);
      const after = filters.find(([field, operator]) => field === "name" && operator === ">")?.[2] ?? "";
      const wanted = filters.find(([field, operator]) => field === "name" && operator === "=")?.[2];
      const from = filters.find(([field]) => field === "modified")?.[2] ?? "";
      const modified = text(stampOf("11:00:00"));
      const rows = linked
        .flat()
        .filter((row) => row.name > after && row.name === (wanted ?? row.name) && modified >= from);
      const data = rows.slice(0, Number(query.get("limit_page_length")));
      return { body: { data: data.map((row) => ({ modified, link_doctype: "Customer", ...row })) } };
    };
    const contacts = await customers({ ...read, size: 4 });
    const first = await poll(contacts);
    for (const { changes, batches } of [first, await poll(contacts, { read: clock.at - 3_600_000 })]) {
      expect(batches.flatMap(({ unreadable = [] }) => unreadable)).toEqual([]);
      const read = new Map(changes.map((change) => [change.key, "row" in change && change.row["link_name"]]));
      expect([...read]).toEqual(linked.map(([link]) => [link!.name, "A"]));
    }
    expect(await contacts.readOne(name(3), never)).toMatchObject({ link_name: "A" });
    expect(await allKeys(contacts)).toEqual(expect.arrayContaining(linked.map(([link]) => link!.name)));
  });

  it("reads no record by its key that the filter of the stream leaves out", async () => {
    erp.fill(2, stampOf("11:00:00"));
    disabled.add(2);
    const stream = await customers({ where: [["disabled", "=", 0]] });
    expect(await stream.readOne("CUST-00001", never)).toMatchObject({ name: "CUST-00001" });
    expect(await stream.readOne("CUST-00002", never)).toBeUndefined();
  });
});
