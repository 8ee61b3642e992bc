import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { causesIn, sampleGroup, sampleRecord, sampleStatus } from "./sample-status.ts";
import { sampleWeb } from "./web-server.ts";

async function read(path: string): Promise<{ status: number; body: unknown }> {
  await using web = await sampleWeb();
  const response = await fetch(`${web.url}/api${path}`);
  return { status: response.status, body: await response.json() };
}

describe("the JSON API", () => {
  it("lists what people did, of the last day unless asked for more", async () => {
    const retried = { at: "2026-05-20T11:30:00.000Z", action: "retry", count: 412, by: { name: "anna", via: "page" } };
    expect(await read("/acts")).toMatchObject({ status: 200, body: { acts: [retried] } });
    const { body } = await read("/acts?since=2026-05-01&stream=customers");
    expect(body).toMatchObject({ acts: [{ action: "pause", stream: "customers", by: { name: "ben" } }] });
  });

  it("lists causes with what people wrote down about them", async () => {
    expect(await read("/groups")).toMatchObject({
      body: {
        groups: expect.arrayContaining([
          expect.objectContaining({
            id: sampleGroup,
            code: "E_SERVICE_REFUSED",
            count: 1,
            noted: expect.objectContaining({ owner: "anna" }),
          }),
        ]),
      },
    });
  });

  it.each([
    ["/acts?stream=nothing", "expected one of customers, contacts, tickets"],
    ["/history?stream=nothing", "expected one of customers, contacts, tickets"],
    ["/records?stream=nothing", "expected one of customers, contacts, tickets"],
    ["/acts?since=yesterday", "expected an instant"],
    ["/history?since=yesterday", "expected an instant"],
  ])("says what is wrong with %s", async (path, error) => {
    expect(await read(path)).toMatchObject({ status: 400, body: { error: expect.stringContaining(error) } });
  });

  it.each([
    [
      "GET",
      "/streams/nothing/plan",
      404,
      'no such stream: found "nothing", expected one of customers, contacts, tickets',
    ],
    ["POST", "/streams/nothing/resume", 404, 'no such stream: found "nothing"'],
    ["GET", "/records/tickets/T-9", 404, "no such record: tickets/T-9"],
    ["POST", "/records/tickets/T-9/retry", 404, "no such record: tickets/T-9"],
    ["GET", "/records?state=lost", 400, "state: expected one of "],
    ["GET", "/nothing", 404, "not found"],
    ["DELETE", "/status", 405, "method not allowed"],
  ])("answers %s %s with %i and a JSON error", async (method, path, status, error) => {
    await using web = await sampleWeb();
    const answer = await fetch(`${web.url}/api${path}`, { method, headers: { "content-type": "application/json" } });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([status, "application/json"]);
    expect(await answer.json()).toEqual({ error: expect.stringContaining(error) });
  });

  it("tells a program without a login so in JSON, and a foreign name", async () => {
    await using web = await sampleWeb({ access: { token: "a-token-of-the-page" } });
    const unknown = await fetch(`${web.url}/api/status`);
    expect([unknown.status, await unknown.json()]).toEqual([401, { error: expect.stringContaining("PAGE_TOKEN") }]);
    expect(unknown.headers.get("www-authenticate")).toBe("Bearer");
    await using closed = await sampleWeb({}, { host: "0.0.0.0" });
    const refused = await fetch(`${closed.url.replace("0.0.0.0", "127.0.0.1")}/api/status`);
    expect([refused.status, await refused.json()]).toEqual([
      403,
      { error: expect.stringMatching(/^The page is closed/) },
    ]);
  });
});

describe("docs/api.md", () => {
  const text = readFileSync(new URL("../../docs/api.md", import.meta.url), "utf8");
  const named = [...text.matchAll(/`(GET|POST|GET` and `POST) (\/api\/[\w/]+(?:\?subject=SUBJECT)?)/g)].map(
    ([, methods = "", path = ""]): [methods: string, path: string] => [
      methods,
      path
        .replace("STREAM", path.includes("/returns/") ? "reports" : "customers")
        .replace("KEY", "10023")
        .replace("ID", sampleGroup)
        .replace("VERSION", "2")
        .replace("SUBJECT", "4711"),
    ],
  );

  it("names only what is served", async () => {
    await using web = await sampleWeb();
    const headers = { "content-type": "application/json" };
    const statuses: [string, number][] = [];
    for (const [methods, path] of named)
      for (const method of methods.match(/[A-Z]+/g) ?? []) {
        const body = method === "POST" ? { body: "{}" } : {};
        statuses.push([`${method} ${path}`, (await fetch(web.url + path, { method, headers, ...body })).status]);
      }

    expect(statuses.length).toBeGreaterThan(15);
    expect(statuses.filter(([, status]) => ![200, 400, 409].includes(status))).toEqual([]);
  });
});

describe("causes on the page", () => {
  it("are those of the commands and the API, counted to the last record, from one reading for many pages", async () => {
    const status = sampleStatus();
    const [cause] = causesIn([sampleRecord({ stream: "contacts", key: "1" }, { state: "parked" })]);
    let readings = 0;
    const groups = () => {
      readings += 1;
      return Promise.resolve([{ ...cause!, count: 12_000 }]);
    };
    await using web = await sampleWeb({ status: { ...status, groups } });
    const pages = [await (await fetch(web.url)).text(), await (await fetch(web.url)).text()];

    expect(pages[1]).toContain("12,000 records of contacts");
    expect(readings).toBe(1);
  });
});

describe("what people did, on the page", () => {
  it("stands at its end: when, who, what and why", async () => {
    await using web = await sampleWeb();
    const page = await (await fetch(web.url)).text();
    const table = page.slice(page.indexOf("What people did"));

    expect(table).toMatch(/anna \(page\)[\s\S]*412 records of contacts: retry \(again\)[\s\S]*there &lt;now&gt;/);
    expect(table).toContain("customers: pause (until");
  });
});
