import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Change, Cursor } from "#model";
import type { SourceStream } from "#sources";
import { Sweeper } from "#pipeline";
import { Scene } from "../../conformance/store-scene.ts";
import { silentLogger } from "../../kit/logger.ts";
import { memoryPlace } from "../../store/memory-place.ts";
import { allKeys, poll } from "../reading.ts";
import { SetClock } from "../../kit/clock.ts";
import { type Asked, type Told, type WebServer, startWebServer } from "../../kit/http.ts";
import { never } from "../../kit/outcome.ts";
import { presetStream, writtenRead } from "./preset-stream.ts";
import { FrappeSite } from "./products/frappe/site.ts";

const clock = new SetClock(0);
let site: FrappeSite;
let server: WebServer;
let answer: (asked: Asked) => Told;

const DAY = "2026-03-02";
const stampOf = (time: string) => Date.parse(`${DAY}T${time}Z`) * 1000;
const text = (stamp: number) =>
  new Date(stamp / 1000)
    .toISOString()
    .replace("T", " ")
    .replace("Z", String(stamp % 1000).padStart(3, "0"));
const name = (id: number) => `CUST-${String(id).padStart(5, "0")}`;

beforeEach(() => start(15));
afterEach(() => server[Symbol.asyncDispose]());

async function start(version: 15 | 16): Promise<void> {
  // The site's clock shows 12:00 in Berlin.
  clock.at = Date.parse(`${DAY}T11:00:00Z`);
  site = new FrappeSite({ version, now: () => clock.at * 1000 });
  answer = (asked) => site.answer(asked);
  server = await startWebServer((asked) => {
    const told = answer(asked);
    return { ...told, headers: { date: new Date(clock.at).toUTCString(), ...told.headers } };
  });
}

function put(id: number, stamp: number, values: object = {}): void {
  site.save("Customer", name(id), { customer_name: `Müller & Söhne ${id}`, ...values }, { stamp });
}
function fill(count: number, stamp: number): void {
  for (let id = 1; id <= count; id++) put(id, stamp);
}
function contact(of: string, ...links: [string, string][]): void {
  const rows = links.map(([link_doctype, link_name]) => ({ link_doctype, link_name, parenttype: "Contact" }));
  site.save("Contact", of, { full_name: of, links: rows });
}

function customers(read: object = {}) {
  const auth = { kind: "header", name: "Authorization", value: "token key:secret" };
  const settings = { preset: "erpnext", url: server.url, auth, timezone: "Europe/Berlin" };
  return presetStream(settings, { table: "Customer", size: 20, ...read }, clock, silentLogger);
}

async function deletedBy(stream: SourceStream, cursor: Cursor | null = null): Promise<Change[]> {
  const changes: Change[] = [];
  for await (const batch of stream.deletions!(cursor, never)) changes.push(...batch.changes);
  return changes;
}
async function keysOf(stream: string): Promise<string[]> {
  return [...(await poll(await customers(writtenRead("erpnext", stream)))).keys];
}

describe("the preset erpnext", () => {
  it("reads every row with all its fields, also where hundreds share a microsecond", async () => {
    fill(90, stampOf("11:00:00") + 7);
    const first = await poll(await customers());
    expect(new Set(first.keys).size).toBe(90);
    expect(first.changes[0]).toMatchObject({ key: "CUST-00001", row: { customer_name: "Müller & Söhne 1" } });
  });

  it("bounds the window by the site's time zone", async () => {
    put(1, stampOf("11:59:00"));
    const stream = await customers();
    await poll(stream, { read: clock.at });
    const filters = server.asked[0]!.query.get("filters")!;
    expect(JSON.parse(filters)).toEqual([["modified", ">=", "2026-03-02 11:44:58.000000"]]);
  });

  it("gives deletions from Deleted Document, unless the record is there again", async () => {
    for (const id of [1, 2, 3]) put(id, stampOf("10:00:00"));
    for (const id of [1, 2, 3]) site.remove("Customer", name(id));
    put(2, stampOf("10:30:00"));
    for (const [hash, { deleted_name }] of site.table("Deleted Document"))
      if (deleted_name === name(3)) site.set("Deleted Document", hash, { restored: 1 });
    expect(await deletedBy(await customers())).toEqual([{ kind: "delete", key: "CUST-00001" }]);
  });

  it("finds deletions by sweeps alone where the user may not read Deleted Document, and says so", async () => {
    site.roles = ["Sales User"];
    put(1, stampOf("10:00:00"));
    const stream = await customers();
    expect(await deletedBy(stream)).toEqual([]);
    expect(stream.capabilities.deletions).toBe("sweep");
    const findings = await stream.check(never);
    expect(findings.filter(({ verdict }) => verdict !== "ok")).toEqual([
      expect.objectContaining({
        subject: "customers: deletions",
        verdict: "warning",
        code: "E_SOURCE_FORBIDDEN",
        message: expect.stringContaining("Insufficient Permission for"),
        remedy: expect.stringContaining("Deleted Document"),
      }),
    ]);
  });

  it("says why Deleted Document may not be read, until it may", async () => {
    const stream = await customers();
    const told: (string | undefined)[] = [];
    for (const role of ["System Manager", "Sales User", "Sales User", "System Manager"]) {
      site.roles = [role];
      await deletedBy(stream);
      told.push(stream.refusedDeletions?.()?.code);
    }
    expect(told).toEqual([undefined, "E_SOURCE_FORBIDDEN", "E_SOURCE_FORBIDDEN", undefined]);
  });

  it("does not blame Deleted Document where a deletion cannot be confirmed", async () => {
    put(1, stampOf("10:00:00"));
    site.remove("Customer", name(1));
    const stream = await customers();
    answer = (asked) => (asked.path.startsWith("/api/resource/Customer") ? { status: 403 } : site.answer(asked));
    await expect(deletedBy(stream)).rejects.toMatchObject({ code: "E_SOURCE_FORBIDDEN" });
  });

  it("does not take a refused login for a list of deletions that may not be read", async () => {
    site.secret = "changed";
    await expect(deletedBy(await customers())).rejects.toMatchObject({ code: "E_SOURCE_LOGIN" });
  });

  it("takes the old name of a renamed record, which no list tells of, for deleted", async () => {
    put(1, stampOf("10:00:00"));
    put(2, stampOf("10:00:00"));
    await using scene = await Scene.open(memoryPlace);
    const { store } = scene;
    const stream = await customers();
    const sweeper = new Sweeper({
      store,
      streams: new Map(),
      sources: new Map(),
      clock,
      logger: silentLogger,
      intervalMs: 60_000,
    });
    const sweep = async () => {
      clock.advance(60_000);
      await sweeper.sweepIfDue("customers", stream, never);
    };
    await sweep();
    site.rename("Customer", name(1), name(3));
    await sweep();
    await sweep();
    const record = (key: string) => store.record({ stream: "customers", key });
    expect(await record("CUST-00001")).toMatchObject({ deleted: true });
    expect(await record("CUST-00002")).toMatchObject({ deleted: false });
    expect(await record("CUST-00003")).toMatchObject({ deleted: false });
  });

  it("lists all keys and reads one record", async () => {
    fill(45, stampOf("10:00:00"));
    const stream = await customers();
    expect(await allKeys(stream)).toHaveLength(45);
    expect(await stream.readOne("CUST-00045", never)).toMatchObject({ name: "CUST-00045" });
    expect(await stream.readOne("CUST-00046", never)).toBeUndefined();
  });

  it("reads a contact once, by its link to a customer, with the stream that init writes", async () => {
    const read = writtenRead("erpnext", "contacts");
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
    const read = writtenRead("erpnext", "contacts");
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
    put(1, stampOf("10:00:00"), { disabled: 0 });
    put(2, stampOf("10:00:00"), { disabled: 1 });
    const stream = await customers({ where: [["disabled", "=", 0]] });
    expect(await stream.readOne("CUST-00001", never)).toMatchObject({ name: "CUST-00001" });
    expect(await stream.readOne("CUST-00002", never)).toBeUndefined();
  });

  it.each([15, 16] as const)("reads every stream that init writes from Frappe %i", async (version) => {
    await server[Symbol.asyncDispose]();
    await start(version);
    put(1, stampOf("10:00:00"));
    contact("Mia", ["Customer", name(1)], ["Supplier", "SUPP-1"]);
    contact("Max", ["Supplier", "SUPP-1"]);
    site.save("Issue", "ISS-1", { customer: name(1), subject: "Pumpe" });
    site.save("Maintenance Visit", "MAT-1", { customer: name(1) });
    for (const [stream, expected] of [
      ["customers", name(1)],
      ["contacts", "Mia"],
      ["tickets", "ISS-1"],
      ["orders", "MAT-1"],
    ] as const)
      expect(await keysOf(stream)).toEqual([expected]);
  });

  it("pages by names that the database compares without regard to case", async () => {
    for (const one of ["beta", "Alpha", "ärger", "Zeta", "gamma", "Ende"]) site.save("Customer", one, {});
    expect(await allKeys(await customers({ size: 2 }))).toEqual(["Alpha", "ärger", "beta", "Ende", "gamma", "Zeta"]);
  });

  it("reads stamps with and without a fraction", async () => {
    put(1, stampOf("10:00:00"));
    put(2, stampOf("10:00:00") + 7);
    const stream = await customers();
    const { cursor } = await poll(stream);
    put(3, clock.at * 1000);
    expect((await poll(stream, cursor)).keys).toContain(name(3));
  });

  it.each([true, false])("says what Frappe says of an unknown field (tracebacks: %s)", async (tracebacks) => {
    site.tracebacks = tracebacks;
    put(1, stampOf("10:00:00"));
    await expect(poll(await customers({ fields: ["custmer_name"] }))).rejects.toMatchObject({
      code: "E_SOURCE_REQUEST",
      message: expect.stringContaining("Field not permitted in query: custmer_name"),
    });
  });

  it("reads what a user permission leaves, and nothing else", async () => {
    fill(3, stampOf("10:00:00"));
    site.permitted.set("Customer", [name(2)]);
    const stream = await customers();
    expect((await poll(stream)).keys).toEqual([name(2)]);
    expect(await stream.readOne(name(1), never)).toBeUndefined();
  });

  it("has no parameter that includes anything", async () => {
    await expect(customers({ include: ["links"] })).rejects.toMatchObject({
      code: "E_SOURCE_SETTINGS",
      message: expect.stringContaining("the preset erpnext does not know `include`"),
    });
  });
});
