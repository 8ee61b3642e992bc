import { afterEach, describe, expect, it } from "vitest";
import type { JsonObject } from "#model";
import { odataRead, odataSettings } from "../../../src/sources/odata/schema.ts";
import { openOData } from "../../../src/sources/odata/source.ts";
import { jsonText } from "../../../src/sources/wire/stamps/values.ts";
import { allKeys, openContext, poll } from "../reading.ts";
import { SetClock } from "../../kit/clock.ts";
import { type Asked, type Told, type WebServer, startWebServer } from "../../kit/http.ts";
import { never } from "../../kit/outcome.ts";
import { odataService, type ServiceManners } from "./service.ts";

const clock = new SetClock(Date.parse("2026-03-02T10:00:00Z"));
let server: WebServer;
afterEach(() => server[Symbol.asyncDispose]());

async function stream(answer: (asked: Asked) => Told, root: string, settings: (url: string) => object, read: object) {
  server = await startWebServer((asked) => ({ headers: { date: new Date(clock.at).toUTCString() }, ...answer(asked) }));
  const parsed = odataSettings.parse({ url: `${server.url}${root}`, ...settings(server.url) });
  const source = await openOData(parsed, openContext(clock));
  return source.stream("customers", odataRead.parse(read));
}

const asked = (option: string) => server.asked.flatMap(({ query }) => query.get(option) ?? []);

const guid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;

/** What a column of the type datetime makes of an instant: one of 300 ticks a second. */
const onTick = (iso: string) => {
  const ticks = Math.round((Date.parse(iso) * 3) / 10);
  return new Date(Math.round((ticks * 10) / 3)).toISOString();
};

const centralSettings = (url: string) => ({
  preset: "businessCentral",
  auth: {
    kind: "oauth",
    tokenUrl: `${url}/token`,
    clientId: "app",
    clientSecret: "s3cr3t",
    scope: "api/.default",
  },
});

const day = (iso: string) => `/Date(${Date.parse(`${iso}T00:00:00Z`)})/`;

const partner = (id: string, changed: [string, string] | null, created: string): JsonObject => ({
  BusinessPartner: id,
  BusinessPartnerFullName: `Partner ${id}`,
  LastChangeDate: changed === null ? null : `${changed[0]}T00:00:00`,
  LastChangeTime: changed === null ? "00:00:00" : changed[1],
  CreationDate: `${created}T00:00:00`,
  CreationTime: "08:00:00",
});

const hanaSettings = (password: string) => () => ({
  preset: "s4hana",
  timezone: "Europe/Berlin",
  auth: { kind: "basic", username: "COMM_USER", password },
});

describe("the preset businessCentral", () => {
  const root = "/v2.0/tenant/production/api/v2.0/companies(5d115c9c-44e3-ea11-bb43-000d3a2feca1)";
  const customers = Array.from({ length: 9 }, (_, n) => ({
    id: guid(n),
    number: `${10_000 + n}`,
    displayName: n === 3 ? "O'Brien & Söhne" : `Kunde ${n}`,
    blocked: "_x0020_",
    balanceDue: 0.1,
    // Posted by one job: one stamp for all.
    lastModifiedDateTime: n < 7 ? "2026-03-01T08:00:00.123Z" : "2026-03-02T09:59:00.457Z",
  }));
  const service: ServiceManners = {
    version: "v4",
    keys: ["id"],
    types: {
      id: "Guid",
      number: "String",
      displayName: "String",
      blocked: "String",
      balanceDue: "Decimal",
      lastModifiedDateTime: "DateTimeOffset",
    },
    rows: () => customers,
    refuseMixedOr: true,
  };
  const answer = (question: Asked): Told => {
    if (question.path === "/token") return { body: { access_token: "bc", expires_in: "3599" } };
    if (question.headers.authorization !== "Bearer bc")
      return { status: 401, body: { error: { code: "Unauthorized" } } };
    if (!question.path.startsWith(`${root}/`)) return { status: 404, body: { error: { message: question.path } } };
    return odataService({ customers: service }, question);
  };
  const rounding = (question: Asked): Told => {
    const filter = question.query.get("$filter")?.replace(/[\d-]{10}T[\d:.]+Z/g, onTick);
    if (filter !== undefined) question.query.set("$filter", filter);
    return answer(question);
  };

  it("reads a company's customers by their id first, and then by lastModifiedDateTime in UTC", async () => {
    const read = await stream(answer, root, centralSettings, { entity: "customers", size: 4 });
    const first = await poll(read);
    expect(first.keys.toSorted()).toEqual(customers.map(({ id }) => id));
    expect(asked("$filter")).toEqual([`id gt ${guid(3)}`, `id gt ${guid(7)}`]);
    expect(new Set(asked("$orderby"))).toEqual(new Set(["id"]));
    expect(server.asked.at(-1)!.headers["prefer"]).toBe("odata.maxpagesize=4");

    const second = await poll(read, first.cursor);
    expect(second.keys.toSorted()).toEqual([guid(7), guid(8)]);
    expect(asked("$filter").at(-1)).toBe("lastModifiedDateTime ge 2026-03-02T09:44:58.000Z");
    expect(asked("$orderby").at(-1)).toBe("lastModifiedDateTime,id");
  });

  it("pages through a job's rows that share one stamp without `or` over two properties", async () => {
    const read = await stream(answer, root, centralSettings, { entity: "customers", size: 2 });
    const { keys } = await poll(read, { read: Date.parse("2026-03-01T08:10:00Z") });
    expect([...new Set(keys)].toSorted()).toEqual(customers.map(({ id }) => id));
    expect(asked("$filter").filter((filter) => filter.includes(" or "))).toEqual([]);
  });

  it("reads on although SQL Server rounds the bounds of a filter to its own ticks", async () => {
    const read = await stream(rounding, root, centralSettings, { entity: "customers", size: 2 });
    const { cursor } = await poll(read);
    clock.advance(3_600_000);
    const idle = poll(read, cursor);
    const all = poll(read, { read: Date.parse("2026-03-01T08:10:00Z") });
    clock.advance(-3_600_000);
    await expect(idle).resolves.toBeDefined();
    expect(new Set((await all).keys).size).toBe(9);
  });

  it("finds one record by its id and lists all ids for a sweep", async () => {
    const read = await stream(answer, root, centralSettings, { entity: "customers" });
    expect(await read.readOne(guid(3), never)).toMatchObject({ number: "10003", displayName: "O'Brien & Söhne" });
    expect(await read.readOne(guid(99), never)).toBeUndefined();
    expect(await allKeys(read)).toHaveLength(9);
    expect(asked("$select").at(-1)).toBe("id");
  });
});

describe("the preset s4hana", () => {
  // The application server's clock is in Berlin: an hour ahead of UTC in winter.
  const partners = [
    partner("0000100017", ["2026-03-01", "18:30:00"], "2020-01-01"),
    partner("0000100018", ["2026-03-02", "07:15:00"], "2020-01-01"),
    partner("0000100019", null, "2026-03-02"),
    partner("0000100020", ["2025-12-24", "12:00:00"], "2020-01-01"),
  ];
  const service: ServiceManners = {
    version: "v2",
    keys: ["BusinessPartner"],
    types: {
      BusinessPartner: "String",
      BusinessPartnerFullName: "String",
      LastChangeDate: "DateTime",
      LastChangeTime: "Time",
      CreationDate: "DateTime",
      CreationTime: "Time",
    },
    rows: () => partners,
    wire: (row) => ({
      ...row,
      LastChangeDate: row["LastChangeDate"] === null ? null : day(jsonText(row["LastChangeDate"]).slice(0, 10)),
      LastChangeTime: wireTime(row["LastChangeTime"]),
      CreationDate: day(jsonText(row["CreationDate"]).slice(0, 10)),
      CreationTime: wireTime(row["CreationTime"]),
      __metadata: { type: "API_BUSINESS_PARTNER.A_BusinessPartnerType", etag: "W/\"datetimeoffset'x'\"" },
      to_BusinessPartnerAddress: { __deferred: { uri: "https://internal.invalid/to_BusinessPartnerAddress" } },
    }),
  };
  const root = "/sap/opu/odata/sap/API_BUSINESS_PARTNER";
  const basic = `Basic ${Buffer.from("COMM_USER:s3cr3t").toString("base64")}`;
  const answer = (question: Asked): Told =>
    question.headers.authorization === basic
      ? odataService({ A_BusinessPartner: service }, question)
      : { status: 401, body: "<html><h1>Anmeldung fehlgeschlagen</h1></html>" };

  it("compares date and time as a pair in the server's zone, and finds partners that were never changed", async () => {
    const read = await stream(answer, root, hanaSettings("s3cr3t"), { entity: "A_BusinessPartner" });
    const { keys, changes } = await poll(read, { read: Date.parse("2026-03-01T13:00:00Z") });
    expect(new Set(keys)).toEqual(new Set(["0000100017", "0000100018", "0000100019"]));
    const filters = asked("$filter");
    expect(filters[0]).toBe(
      "(LastChangeDate gt datetime'2026-03-01T00:00:00' or " +
        "(LastChangeDate eq datetime'2026-03-01T00:00:00' and LastChangeTime ge time'PT13H45M00S'))",
    );
    expect(filters.find((filter) => filter.includes("CreationDate"))).toBe(
      "(CreationDate gt datetime'2026-03-01T00:00:00' or " +
        "(CreationDate eq datetime'2026-03-01T00:00:00' and CreationTime ge time'PT13H45M00S'))",
    );
    expect(changes.find(({ key }) => key === "0000100018")).toEqual({
      kind: "upsert",
      key: "0000100018",
      row: {
        BusinessPartner: "0000100018",
        BusinessPartnerFullName: "Partner 0000100018",
        LastChangeDate: "2026-03-02T00:00:00.000",
        LastChangeTime: "07:15:00",
        CreationDate: "2020-01-01T00:00:00.000",
        CreationTime: "08:00:00",
      },
    });
  });

  it("finds a new partner although stamps are in UTC and `timezone` says Berlin", async () => {
    const read = await stream(answer, root, hanaSettings("s3cr3t"), { entity: "A_BusinessPartner" });
    const { cursor } = await poll(read);
    clock.advance(300_000);
    partners.push({ ...partner("0000100021", null, "2026-03-02"), CreationTime: "10:04:00" });
    const { keys } = await poll(read, cursor);
    partners.pop();
    clock.advance(-300_000);
    expect(keys).toContain("0000100021");
  });

  it("keeps ids with their zeros when it looks for one, and says when the password is wrong", async () => {
    const read = await stream(answer, root, hanaSettings("s3cr3t"), { entity: "A_BusinessPartner" });
    expect(await read.readOne("0000100017", never)).toMatchObject({ BusinessPartner: "0000100017" });
    expect(asked("$filter").at(-1)).toBe("BusinessPartner eq '0000100017'");
    await server[Symbol.asyncDispose]();
    const wrong = await stream(answer, root, hanaSettings("hunter2"), { entity: "A_BusinessPartner" });
    await expect(poll(wrong)).rejects.toMatchObject({
      code: "E_SOURCE_LOGIN",
      message: expect.stringContaining("Anmeldung fehlgeschlagen"),
    });
  });

  it("reads entities that carry no stamp whole", async () => {
    const whole = { entity: "A_BusinessPartner", changed: null };
    const read = await stream(answer, root, hanaSettings("s3cr3t"), whole);
    const first = await poll(read);
    expect((await poll(read, first.cursor)).keys).toEqual(partners.map((row) => row["BusinessPartner"]));
  });
});

function wireTime(value: unknown): string {
  return String(value).replace(/^(..):(..):(..)$/, "PT$1H$2M$3S");
}
