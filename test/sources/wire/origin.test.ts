import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SourceStream } from "../../../src/sources/source.ts";
import { odataRead, odataSettings } from "../../../src/sources/odata/schema.ts";
import { openOData } from "../../../src/sources/odata/source.ts";
import { restRead, restSettings } from "../../../src/sources/rest/schema.ts";
import { openRest } from "../../../src/sources/rest/source.ts";
import { odataService } from "../odata/service.ts";
import { allKeys, openContext } from "../reading.ts";
import { SetClock } from "../../kit/clock.ts";
import { type Told, type WebServer, startWebServer } from "../../kit/http.ts";

const clock = new SetClock(Date.parse("2026-03-02T10:00:00Z"));
let erp: WebServer;
/** Another host, as far as an origin goes: it has a port of its own. */
let elsewhere: WebServer;
let answer: () => Told;

beforeEach(async () => {
  erp = await startWebServer((asked) =>
    asked.path.endsWith("$metadata") ? odataService({ items: entity }, asked) : answer(),
  );
  elsewhere = await startWebServer(() => ({ body: { rows: [{ id: 2 }], value: [{ id: 2 }] } }));
});
afterEach(async () => {
  await erp[Symbol.asyncDispose]();
  await elsewhere[Symbol.asyncDispose]();
});

const entity = { version: "v4", keys: ["id"], types: { id: "Int32" }, rows: () => [] } as const;
const auth = { kind: "header", name: "x-api-key", value: "s3cret!" };

async function rest(paging: object): Promise<SourceStream> {
  const source = await openRest(restSettings.parse({ url: `${erp.url}/api`, auth }), openContext(clock));
  return source.stream("items", restRead.parse({ path: "items", rows: "rows", key: "id", paging }));
}

async function odata(read: object): Promise<SourceStream> {
  const source = await openOData(odataSettings.parse({ url: `${erp.url}/odata`, auth }), openContext(clock));
  return source.stream("items", odataRead.parse({ entity: "items", changed: null, ...read }));
}

const host = () => new URL(elsewhere.url).host;
const rows = [{ id: 1 }];
const refused = { code: "E_SOURCE_ORIGIN", family: "park", message: expect.stringContaining("is refused") };

describe("the credentials of a source", () => {
  it.each<[string, object, () => Told]>([
    ["a link in the body", { kind: "link", next: "next" }, () => ({ body: { rows, next: `${elsewhere.url}/2` } })],
    ["a link without a scheme", { kind: "link", next: "next" }, () => ({ body: { rows, next: `//${host()}/2` } })],
    [
      "a link in a header",
      { kind: "link" },
      () => ({ body: { rows }, headers: { link: `<${elsewhere.url}/2>; rel="next"` } }),
    ],
    ["a redirect", { kind: "none" }, () => ({ status: 302, headers: { location: `${elsewhere.url}/2` } })],
  ])("are not sent along with %s to another host", async (_what, paging, told) => {
    answer = told;
    await expect(allKeys(await rest(paging))).rejects.toMatchObject(refused);
    expect(elsewhere.asked).toEqual([]);
  });

  it("stay with the source when a cursor of the answer is an address", async () => {
    answer = () =>
      erp.asked.length > 1 ? { body: { rows: [] } } : { body: { rows, cursor: `${elsewhere.url}/2?key=1` } };
    const paging = { kind: "cursor", parameter: "after", next: "cursor" };
    expect(await allKeys(await rest(paging))).toEqual(["1"]);
    expect(erp.asked[1]!.query.get("after")).toBe(`${elsewhere.url}/2?key=1`);
    expect(elsewhere.asked).toEqual([]);
  });

  it.each([
    ["a host", () => `${elsewhere.url}/odata/items?page=2`],
    ["a path that looks like a host", () => `http://erp//${host()}/items?page=2`],
    ["a relative path that looks like a host", () => `//erp//${host()}/items?page=2`],
  ])("stay with the source when a next link of OData names %s", async (_what, link) => {
    answer = () =>
      erp.asked.some(({ query }) => query.has("page"))
        ? { body: { value: [] } }
        : { body: { value: rows, "@odata.nextLink": link() } };
    expect(await allKeys(await odata({ pageBy: "link" }))).toContain("1");
    expect(elsewhere.asked).toEqual([]);
    expect(erp.asked.at(-1)!.headers["x-api-key"]).toBe("s3cret!");
  });

  it("are not carried from one host to the other by a login elsewhere", async () => {
    const tokens = await startWebServer(() => ({ body: { access_token: "t1" } }));
    await using _ = tokens;
    answer = () => ({ body: { rows } });
    const oauth = { kind: "oauth", tokenUrl: `${tokens.url}/token`, clientId: "svc", clientSecret: "s3cret!" };
    const settings = restSettings.parse({ url: erp.url, auth: oauth });
    const source = await openRest(settings, openContext(clock));
    const stream = source.stream("items", restRead.parse({ path: "items", rows: "rows", key: "id" }));
    expect(await allKeys(stream)).toEqual(["1"]);
    expect(erp.asked[0]!.headers.authorization).toBe("Bearer t1");
    expect(erp.asked[0]!.body).toBe("");
    expect(tokens.asked[0]!.headers.authorization).toBeUndefined();
  });
});
