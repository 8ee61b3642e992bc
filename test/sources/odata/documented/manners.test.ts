import { describe, expect, it } from "vitest";
import { startCentral } from "../../../erps/documented/central.ts";
import { startHana } from "../../../erps/documented/hana.ts";
import { startOne } from "../../../erps/documented/one.ts";
import { SetClock } from "../../../kit/clock.ts";
import { openContext, allKeys, poll } from "../../reading.ts";
import { odataRead, odataSettings } from "../../../../src/sources/odata/schema.ts";
import { openOData } from "../../../../src/sources/odata/source.ts";
import { BusinessCentral } from "../server/business-central.ts";
import { BusinessOne } from "../server/business-one.ts";
import { S4Hana } from "../server/s4hana.ts";

type Named = Pick<BusinessCentral, "environment">;

const at = () => new SetClock(Date.parse("2026-03-02T10:00:00Z"));

async function open(settings: object, read: object, clock: SetClock) {
  const source = await openOData(odataSettings.parse(settings), openContext(clock));
  return source.stream("records", odataRead.parse(read));
}

function oneSettings(one: Named, more: Record<string, string> = {}) {
  const body = { CompanyDB: "SBODEMODE", UserName: "svcsync", Password: "Geheim1!", ...more };
  const auth = { kind: "login", url: "Login", body };
  return { preset: "businessOne", url: one.environment["ERP_URL"], auth, timezone: "Europe/Berlin" };
}

function centralSettings({ environment }: Named, more: object = {}) {
  const auth = {
    kind: "oauth",
    tokenUrl: environment["ERP_TOKEN_URL"],
    clientId: "svcsync",
    clientSecret: "s3cr3t",
    scope: "https://api.businesscentral.dynamics.com/.default",
  };
  return { preset: "businessCentral", url: environment["ERP_URL"], auth, ...more };
}

describe("a refusal of Business One", () => {
  it("names the code, which alone tells an unknown company from a wrong password", async () => {
    const clock = at();
    await using one = await BusinessOne.start(clock);
    for (const [more, code] of [
      [{ CompanyDB: "OTHER" }, "-306"],
      [{ Password: "hunter2" }, "-304"],
    ] as const) {
      const stream = await open(oneSettings(one, more), { entity: "BusinessPartners" }, clock);
      await expect(poll(stream)).rejects.toMatchObject({
        code: "E_SOURCE_LOGIN",
        message: expect.stringMatching(new RegExp(`Fail to NONE-SSO login from SLD\\. \\(${code}\\)`)),
      });
    }
  });
});

async function withOne(
  play: (one: BusinessOne, stream: Awaited<ReturnType<typeof open>>) => Promise<void>,
): Promise<void> {
  const clock = at();
  await using server = await BusinessOne.start(clock);
  for (let n = 0; n < 30; n++)
    server.partners.put({ CardCode: `C${n + 10}`, CardName: "Muster", ...server.stamp("UpdateDate", "UpdateTime") });
  await play(server, await open(oneSettings(server), { entity: "BusinessPartners", size: 10 }, clock));
}

describe("a session of Business One", () => {
  it("is opened again where a login failed beside others", () =>
    withOne(async (server, stream) => {
      server.samlFailures = 1;
      expect((await poll(stream)).keys).toHaveLength(30);
    }));

  it("may end in the middle of a load", () =>
    withOne(async (server, stream) => {
      const keys: string[] = [];
      const never = new AbortController().signal;
      for await (const { changes } of stream.changes(null, never)) {
        keys.push(...changes.map(({ key }) => key));
        server.endSessions();
      }
      expect(new Set(keys).size).toBe(30);
    }));

  it("is kept by both cookies: one login serves all requests", () =>
    withOne(async (server, stream) => {
      await poll(stream);
      await allKeys(stream);
      expect(server.server.asked.filter(({ path }) => path.endsWith("/Login"))).toHaveLength(1);
    }));
});

async function withCentral(play: (central: BusinessCentral, clock: SetClock) => Promise<void>): Promise<void> {
  const clock = at();
  await using server = await BusinessCentral.start(clock);
  for (let n = 0; n < 30; n++)
    server.customers.put({ id: server.newId(), number: `${n}`, city: "Bonn", lastModifiedDateTime: server.stamp() });
  await play(server, clock);
}

describe("a stream of Business Central", () => {
  it("stops at a filter that Business Central will never take, and says why", () =>
    withCentral(async (server, clock) => {
      const filter = "city eq 'Bonn' or number eq '3'";
      const stream = await open(centralSettings(server), { entity: "customers", filter }, clock);
      await expect(poll(stream)).rejects.toMatchObject({
        code: "E_SOURCE_REQUEST",
        message: expect.stringContaining("'OR' operator is not supported on distinct fields"),
      });
    }));

  it("names the code where the company is another one", () =>
    withCentral(async (server, clock) => {
      const url = server.environment["ERP_URL"]!.replace(/companies\(.*/, "companies(0)");
      const stream = await open(centralSettings(server, { url }), { entity: "customers" }, clock);
      await expect(poll(stream)).rejects.toMatchObject({
        code: "E_SOURCE_NOT_FOUND",
        message: expect.stringContaining("Internal_CompanyNotFound"),
      });
    }));

  it("says what Entra says of a secret that it refuses", () =>
    withCentral(async (server, clock) => {
      server.secret = "another";
      const stream = await open(centralSettings(server), { entity: "customers" }, clock);
      await expect(poll(stream)).rejects.toMatchObject({
        code: "E_SOURCE_LOGIN",
        message: expect.stringContaining("AADSTS7000215: Invalid client secret"),
      });
    }));

  it("gets another token where the old one ended", () =>
    withCentral(async (server, clock) => {
      const stream = await open(centralSettings(server), { entity: "customers" }, clock);
      const { cursor } = await poll(stream);
      for (let day = 0; day < 3; day++) {
        clock.advance(86_400_000);
        await expect(poll(stream, cursor)).resolves.toBeDefined();
      }
    }));
});

describe("pages by next link", () => {
  const products = {
    "Business Central": [startCentral, "customers", 30],
    "S/4HANA": [startHana, "A_BusinessPartner", 30],
    "Business One": [startOne, "BusinessPartners", 30],
  } as const;

  it.each(Object.entries(products))("of %s lead through the whole list", async (_, [start, entity, count]) => {
    const clock = at();
    await using erp = await start(clock);
    await erp.seed();
    const url = erp.environment["ERP_URL"]!;
    const settings =
      entity === "customers"
        ? centralSettings(erp)
        : entity === "BusinessPartners"
          ? oneSettings(erp)
          : {
              preset: "s4hana",
              url: `${url}/sap/opu/odata/sap/API_BUSINESS_PARTNER/`,
              auth: { kind: "basic", username: "SVCSYNC", password: "Geheim123" },
            };
    const stream = await open(settings, { entity, size: 7, pageBy: "link" }, clock);
    expect(await allKeys(stream)).toHaveLength(count);
    expect(new Set((await poll(stream)).keys).size).toBe(count);
  });

  it("of S/4HANA are followed where the server pages, also when it gives less than was asked for", async () => {
    const clock = at();
    await using hana = await S4Hana.start(clock);
    hana.pageLimit = 4;
    for (let n = 0; n < 30; n++)
      hana.partners.put({ BusinessPartner: `${1000 + n}`, Customer: "1", ...hana.stamp("LastChange") });
    const url = `${hana.server.url}/sap/opu/odata/sap/API_BUSINESS_PARTNER/`;
    const auth = { kind: "basic", username: "SVCSYNC", password: "Geheim123" };
    const settings = { preset: "s4hana", url, auth, timezone: "Europe/Berlin" };
    const stream = await open(settings, { entity: "A_BusinessPartner", size: 10 }, clock);
    const first = await poll(stream);
    expect(new Set(first.keys).size).toBe(30);
    clock.advance(60_000);
    expect(new Set((await poll(stream, first.cursor)).keys).size).toBe(30);
    expect(await allKeys(stream)).toHaveLength(30);
  });
});
