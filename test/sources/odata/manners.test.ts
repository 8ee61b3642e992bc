import { XMLParser } from "fast-xml-parser";
import { afterEach, describe, expect, it, vi } from "vitest";
import { odataRead, odataSettings } from "../../../src/sources/odata/schema.ts";
import { openOData } from "../../../src/sources/odata/source.ts";
import { allKeys, openContext, poll } from "../reading.ts";
import { SetClock } from "../../kit/clock.ts";
import { type Asked, type Told, type WebServer, startWebServer } from "../../kit/http.ts";
import { never } from "../../kit/outcome.ts";
import { odataService } from "./service.ts";

const clock = new SetClock(Date.parse("2026-03-02T10:00:00Z"));
let server: WebServer;

async function stream(answer: (asked: Asked) => Told, settings: object, read: object) {
  server = await startWebServer((asked) => ({ headers: { date: new Date(clock.at).toUTCString() }, ...answer(asked) }));
  const source = await openOData(odataSettings.parse({ url: `${server.url}/b1s/v1`, ...settings }), openContext(clock));
  return source.stream("partners", odataRead.parse(read));
}

afterEach(() => server[Symbol.asyncDispose]());

const partners = [
  { CardCode: "C1", CardName: "Müller", UpdateDate: "2026-03-01", UpdateTime: "18:30:00", CreateDate: "2026-01-01" },
  { CardCode: "C2", CardName: "O'Brien", UpdateDate: "2026-03-02", UpdateTime: "07:15:00", CreateDate: "2026-01-01" },
  { CardCode: "C3", CardName: "New", UpdateDate: null, UpdateTime: null, CreateDate: "2026-03-02" },
];
const types = {
  CardCode: "String",
  CardName: "String",
  UpdateDate: "Date",
  UpdateTime: "TimeOfDay",
  CreateDate: "Date",
};

/** An answer that describes sets without their keys. */
function withoutKeys(told: Told): Told {
  return typeof told.body === "string" ? { body: told.body.replaceAll(/<Key>.*?<\/Key>/g, "") } : told;
}

const b1 = { version: "v4", keys: ["CardCode"], types, rows: () => partners, quotedTimes: true } as const;

describe("the preset businessOne, where filters compare the minutes of UpdateTime", () => {
  const rows = ["18:30:05", "18:30:42"].map((time, at) => ({ ...partners[0]!, CardCode: `C${at}`, UpdateTime: time }));
  const minutes = (asked: Asked): Told => {
    const filter = asked.query.get("$filter");
    if (filter !== null) asked.query.set("$filter", filter.replace(/'(\d\d:\d\d):\d\d'/g, "'$1:00'"));
    return odataService({ BusinessPartners: { ...b1, rows: () => rows } }, asked);
  };

  it("follows: each poll asks from the full minute", async () => {
    const customers = await stream(minutes, { preset: "businessOne" }, { entity: "BusinessPartners" });
    let { cursor } = await poll(customers);
    for (const UpdateTime of ["09:10:20", "09:10:50", "09:11:10"]) {
      rows.splice(0, 1, { ...rows[0]!, UpdateDate: "2026-03-02", UpdateTime });
      const next = await poll(customers, cursor);
      expect(next.changes).toContainEqual(expect.objectContaining({ row: expect.objectContaining({ UpdateTime }) }));
      cursor = next.cursor;
    }
    expect((await customers.check(never)).filter(({ verdict }) => verdict === "problem")).toEqual([]);
  });

  it("names the setting where it was set too fine", async () => {
    const read = { entity: "BusinessPartners", precision: "second" };
    const customers = await stream(minutes, { preset: "businessOne" }, read);
    rows.splice(0, 1, { ...rows[0]!, UpdateDate: "2026-03-01", UpdateTime: "18:30:05" });
    const { cursor } = await poll(customers);
    await expect(poll(customers, cursor)).rejects.toMatchObject({
      code: "E_SOURCE_FILTER_IGNORED",
      message: expect.stringContaining("Set `precision: minute`"),
    });
  });
});

describe("the preset businessOne", () => {
  const auth = { kind: "login", url: "Login", body: { CompanyDB: "DB", UserName: "u", Password: "secret" } };
  let session = 0;
  const guarded = (asked: Asked): Told => {
    if (asked.path.endsWith("/Login")) {
      const { Password } = JSON.parse(asked.body);
      if (Password !== "secret")
        return { status: 401, body: { error: { code: 100000027, message: { value: "Login failed" } } } };
      return { body: { SessionId: "s" }, headers: { "set-cookie": `B1SESSION=s${++session}; HttpOnly` } };
    }
    const expected = `B1SESSION=s${session}`;
    if (asked.headers.cookie !== expected)
      return { status: 401, body: { error: { code: 301, message: { value: "Invalid session" } } } };
    return odataService({ BusinessPartners: b1 }, asked);
  };

  it("does not lose the next morning's changes, and finds new records by their day of creation", async () => {
    const customers = await stream(guarded, { preset: "businessOne", auth }, { entity: "BusinessPartners" });
    const { keys } = await poll(customers, { read: Date.parse("2026-03-01T18:00:00Z") });
    expect(new Set(keys)).toEqual(new Set(["C1", "C2", "C3"]));
    const filter = server.asked.find(({ query }) => query.has("$filter"))!.query.get("$filter");
    expect(filter).toBe("(UpdateDate gt '2026-03-01' or (UpdateDate eq '2026-03-01' and UpdateTime ge '17:45:00'))");
  });

  it("logs in anew, once, when the session is gone", async () => {
    const customers = await stream(guarded, { preset: "businessOne", auth }, { entity: "BusinessPartners" });
    await allKeys(customers);
    session++;
    await Promise.all([allKeys(customers), allKeys(customers), customers.readOne("C1", never)]);
    expect(server.asked.filter(({ path }) => path.endsWith("/Login"))).toHaveLength(2);
  });

  it("says that the password is wrong, without saying it", async () => {
    const wrong = { ...auth, body: { ...auth.body, Password: "hunter2" } };
    const customers = await stream(guarded, { preset: "businessOne", auth: wrong }, { entity: "BusinessPartners" });
    await expect(poll(customers)).rejects.toMatchObject({
      code: "E_SOURCE_LOGIN",
      message: expect.not.stringContaining("hunter2"),
    });
  });

  it("tries again while the company database is being switched", async () => {
    const customers = await stream(guarded, { preset: "businessOne", auth }, { entity: "BusinessPartners" });
    await allKeys(customers);
    server.instead.push({
      status: 400,
      body: { error: { code: -1102, message: { value: "Switch company error: -1102" } } },
    });
    expect(await allKeys(customers)).toHaveLength(3);
  });

  it("takes a login at that moment for no wrong password", async () => {
    const customers = await stream(guarded, { preset: "businessOne", auth }, { entity: "BusinessPartners" });
    const switching = { error: { code: -1102, message: { value: "Switch company error: -1102" } } };
    server.instead.push({ status: 400, body: switching });
    expect(await allKeys(customers)).toHaveLength(3);
  });
});

describe("an OData service", () => {
  it("keeps 64-bit integers and decimals", async () => {
    const types = { id: "Int64", price: "Decimal", stamp: "DateTimeOffset" };
    const body = '{"value":[{"id":9007199254740993,"price":0.1000000000000000000001,"stamp":"2026-03-01T00:00:00Z"}]}';
    const service = { version: "v4", keys: ["id"], types, rows: () => [] } as const;
    const told = (asked: Asked): Told =>
      asked.path.endsWith("$metadata") ? odataService({ items: service }, asked) : { body };
    const items = await stream(told, {}, { entity: "items", changed: "stamp", emptyStamps: false });
    expect((await poll(items)).changes[0]).toMatchObject({
      key: "9007199254740993",
      row: { price: "0.1000000000000000000001" },
    });
    expect(server.asked.at(-1)!.headers.accept).toContain("IEEE754Compatible=true");
  });

  it("loses none of many rows whose stamp is the first day of the year 1, the empty date of Dynamics", async () => {
    const blank = "0001-01-01T00:00:00Z";
    const rows = Array.from({ length: 25 }, (_, id) => ({ id, stamp: id < 22 ? blank : `2026-03-01T00:00:${id}Z` }));
    const types = { id: "Int32", stamp: "DateTimeOffset" };
    const service = { version: "v4", keys: ["id"], types, rows: () => rows } as const;
    const told = (asked: Asked): Told => odataService({ items: service }, asked);
    const items = await stream(told, {}, { entity: "items", changed: "stamp", size: 10, pageBy: "link" });
    expect(new Set((await poll(items)).keys).size).toBe(25);
  });

  it("sees a change whose date has no time of day", async () => {
    const rows = [{ id: 1, day: "2026-03-02", time: null }];
    const types = { id: "Int32", day: "Date", time: "TimeOfDay" };
    const service = { version: "v4", keys: ["id"], types, rows: () => rows } as const;
    const told = (asked: Asked): Told => odataService({ items: service }, asked);
    const items = await stream(told, {}, { entity: "items", changed: { date: "day", time: "time" } });
    expect((await poll(items, { read: clock.at })).keys).toEqual(["1"]);
  });

  it.each(["key", "link"])("reads on by %s where control information has no prefix, as in 4.01", async (pageBy) => {
    const rows = Array.from({ length: 9 }, (_, id) => ({ id, stamp: "2026-03-01T00:00:00.000Z" }));
    const types = { id: "Int32", stamp: "DateTimeOffset" };
    const service = { version: "v4", keys: ["id"], types, rows: () => rows } as const;
    const told = (asked: Asked): Told => {
      const { body, ...more } = odataService({ items: service }, asked);
      return { ...more, body: typeof body === "string" ? body : JSON.stringify(body).replaceAll("@odata.", "@") };
    };
    const items = await stream(told, {}, { entity: "items", changed: "stamp", size: 4, pageBy });
    const { keys, changes } = await poll(items);
    expect(new Set(keys).size).toBe(9);
    expect(changes[0]).toEqual({ kind: "upsert", key: "0", row: rows[0] });
    expect(await allKeys(items)).toHaveLength(9);
  });

  it("pages composite keys with `and` alone", async () => {
    const rows = Array.from({ length: 30 }, (_, n) => ({ a: `A${Math.floor(n / 7)}`, b: n % 7 }));
    const service = {
      version: "v4",
      keys: ["a", "b"],
      types: { a: "String", b: "Int32" },
      rows: () => rows,
      refuseMixedOr: true,
    } as const;
    const lines = await stream(
      (asked) => odataService({ lines: service }, asked),
      {},
      { entity: "lines", changed: null, size: 4 },
    );
    const keys = await allKeys(lines);
    expect(keys).toHaveLength(30);
    expect(new Set(keys).size).toBe(30);
    expect(await lines.readOne("A1|3", never)).toEqual({ a: "A1", b: 3 });
  });

  it("names the property that was meant", async () => {
    const misspelt = { entity: "BusinessPartners", changed: "UpdateDat" };
    const customers = await stream((asked) => odataService({ BusinessPartners: b1 }, asked), {}, misspelt);
    await expect(poll(customers)).rejects.toMatchObject({
      code: "E_SOURCE_METADATA",
      message: expect.stringContaining("did you mean UpdateDate?"),
    });
  });

  it("whose entity set has no key tells which word to add", async () => {
    const customers = await stream(
      (asked) => withoutKeys(odataService({ BusinessPartners: b1 }, asked)),
      {},
      { entity: "BusinessPartners", changed: null },
    );
    const refused = {
      code: "E_SOURCE_METADATA",
      message: expect.stringContaining("name properties that are unique together in `key`"),
    };
    await expect(poll(customers)).rejects.toMatchObject(refused);
  });
});

const hex = (n: number, digits: number) => n.toString(16).padStart(digits, "0");

describe("pages by key", () => {
  it("are refused where the service does not sort them: rows would be skipped, and count as deleted", async () => {
    const rows = ["0000000003", "0000000001", "0000000002", "0000000004"].map((id) => ({ id }));
    const unsorted = (asked: Asked): Told => {
      if (asked.path.endsWith("$metadata")) return odataService({ Items: items }, asked);
      const after = /gt '(\d+)'/.exec(asked.query.get("$filter") ?? "")?.[1] ?? "";
      return { body: { d: { results: rows.filter(({ id }) => id > after).slice(0, 2) } } };
    };
    const items = { version: "v2", keys: ["id"], types: { id: "String" }, rows: () => [] } as const;
    const read = { entity: "Items", changed: null, size: 2 };
    const reading = await stream(unsorted, { version: "v2" }, read);
    await expect(poll(reading)).rejects.toMatchObject({
      code: "E_SOURCE_UNSORTED",
      message: expect.stringContaining("pageBy: link"),
    });
    await expect(allKeys(reading)).rejects.toMatchObject({ code: "E_SOURCE_UNSORTED" });
  });

  it("are refused where the service compares keys in another order than it sorts them", async () => {
    // SQL Server sorts such keys by their last part; .NET compares them from the left.
    const rows = Array.from({ length: 60 }, (_, n) => ({
      id: `${hex((n * 7919) % 65_521, 8)}-0000-4000-8000-${hex(n, 12)}`,
    }));
    const items = { version: "v4", keys: ["id"], types: { id: "Guid" }, rows: () => [] } as const;
    const mixed = (asked: Asked): Told => {
      if (asked.path.endsWith("$metadata")) return odataService({ Items: items }, asked);
      const after = /gt (\S+)/.exec(asked.query.get("$filter") ?? "")?.[1] ?? "";
      const found = rows.filter(({ id }) => id > after);
      const next = found.length > 20 ? { "@odata.nextLink": "Items?$skiptoken=20" } : {};
      return { body: { value: found.slice(0, 20), ...next } };
    };
    const reading = await stream(mixed, {}, { entity: "Items", changed: null, size: 20 });
    await expect(poll(reading)).rejects.toMatchObject({ code: "E_SOURCE_UNSORTED" });
    await expect(allKeys(reading)).rejects.toMatchObject({ code: "E_SOURCE_UNSORTED" });
  });
});

describe("$metadata", () => {
  it("is parsed once, however many pages and records are read: that of some services has megabytes", async () => {
    const parse = vi.spyOn(XMLParser.prototype, "parse");
    const customers = await stream(
      (asked) => odataService({ BusinessPartners: b1 }, asked),
      {},
      {
        entity: "BusinessPartners",
        changed: null,
        size: 1,
      },
    );
    expect(await allKeys(customers)).toHaveLength(3);
    expect(await customers.readOne("C1", never)).toBeDefined();
    expect(parse).toHaveBeenCalledTimes(1);
    parse.mockRestore();
  });

  it("may have types of one name in several namespaces, of which one is made of another", async () => {
    const key = '<Key><PropertyRef Name="id"/></Key>';
    const xml = `<edmx:Edmx xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx"><edmx:DataServices>
      <Schema Namespace="old"><EntityType Name="Item">${key}<Property Name="id" Type="Edm.Int32"/></EntityType></Schema>
      <Schema Namespace="base.types" Alias="base"><EntityType Name="Item">${key}<Property Name="id" Type="Edm.String"/></EntityType></Schema>
      <Schema Namespace="erp"><EntityType Name="Item" BaseType="base.Item"><Property Name="name" Type="Edm.String"/></EntityType>
      <EntityContainer Name="C"><EntitySet Name="Items" EntityType="erp.Item"/></EntityContainer></Schema>
      </edmx:DataServices></edmx:Edmx>`;
    const told = ({ path, query }: Asked): Told => {
      if (path.endsWith("$metadata")) return { body: xml, headers: { "content-type": "application/xml" } };
      return { body: { value: query.get("$filter") === "id eq '7'" ? [{ id: "7", name: "Seven" }] : [] } };
    };
    const items = await stream(told, {}, { entity: "Items", changed: null, select: ["name"] });
    expect(await items.readOne("7", never)).toEqual({ id: "7", name: "Seven" });
  });

  it("is read again where a property was missing: it may be published by now", async () => {
    const { CardName: later, ...published } = types;
    let isPublished = false;
    const told = (asked: Asked): Told =>
      odataService(
        { BusinessPartners: { ...b1, types: isPublished ? { ...published, CardName: later } : published } },
        asked,
      );
    const read = { entity: "BusinessPartners", changed: null, select: ["CardName"] };
    const customers = await stream(told, {}, read);
    await expect(poll(customers)).rejects.toMatchObject({ code: "E_SOURCE_METADATA" });
    isPublished = true;
    expect((await poll(customers)).keys).toHaveLength(3);
  });
});

describe("a text", () => {
  it.each(["PT", "PT100S", "PT5M", "PT12H"])(
    "that reads %s is no time of day unless its type says so",
    async (text) => {
      const rows = [{ id: "1", name: text, opens: "PT8H30M", nested: { code: text, opens: "PT08H30M00S" } }];
      const items = {
        version: "v2",
        keys: ["id"],
        types: { id: "String", name: "String", opens: "Time" },
        rows: () => rows,
      } as const;
      const read = { entity: "Items", changed: null };
      const reading = await stream((asked) => odataService({ Items: items }, asked), { version: "v2" }, read);
      const row = { id: "1", name: text, opens: "08:30:00", nested: { code: text, opens: "08:30:00" } };
      expect((await poll(reading)).changes).toEqual([{ kind: "upsert", key: "1", row }]);
      expect(await reading.readOne("1", never)).toEqual(row);
    },
  );
});
