import { connect } from "node:net";
import { once } from "node:events";
import { request, type IncomingMessage, type RequestOptions } from "node:http";
import { text as textOf } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { RetryError, StopError, type RecordId } from "#model";
import type { Given } from "#operator";
import { Redaction } from "#telemetry";
import { startWeb } from "#web";
import { causesIn, now, sampleRecord, sampleSides, sampleStatus } from "./sample-status.ts";
import type { StatusSource } from "#web";
import { formOf, memoryNotes, sampleWeb } from "./web-server.ts";

/** Like fetch, which lets nobody choose Host and Sec-Fetch-Site. */
async function ask(url: string, path: string, options: RequestOptions): Promise<{ status: number; text: string }> {
  const asked = request(url + path, options).end();
  const answered: IncomingMessage[] = await once(asked, "response");
  return { status: answered[0]!.statusCode ?? 0, text: await textOf(answered[0]!) };
}

const parked = (stream: string, key: string) => sampleRecord({ stream, key }, { state: "parked" });
/** Names for all records but tickets. */
const names = async (ids: readonly RecordId[]) =>
  ids.map(({ stream, key }) => (stream === "tickets" ? "" : `Ö & ${key}`));

const overview = () => Promise.reject(new StopError("E_STORE_FAILED", "disk of s3cret"));
const ok = () => Promise.resolve();
const away = () => Promise.reject(new RetryError("E_SERVICE_DOWN", "the service does not answer"));
const silent = () => new Promise<void>(() => undefined);
const notReached = () => Promise.reject(new RetryError("E_QUEUE_UNREACHABLE", "no answer from redis://:s3cret@queue"));

describe("/healthz", () => {
  it("says that the process lives, whatever its parts do", async () => {
    await using web = await sampleWeb({ ready: { needed: { queue: notReached }, reported: {} } });
    const response = await fetch(`${web.url}/healthz`);

    expect([response.status, await response.text()]).toEqual([200, "alive\n"]);
  });
});

describe("/readyz", () => {
  it("is 200 while all that is needed is usable", async () => {
    await using web = await sampleWeb({ ready: { needed: { store: ok, queue: ok }, reported: { service: ok } } });
    const response = await fetch(`${web.url}/readyz`);

    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ ready: true, parts: { store: "ok", queue: "ok", service: "ok" } });
  });

  it("stays 200 and says so when the service is away: the page that shows it must stay reachable", async () => {
    await using web = await sampleWeb({ ready: { needed: { store: ok }, reported: { service: away } } });
    const response = await fetch(`${web.url}/readyz`);

    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      ready: true,
      parts: { store: "ok", service: { code: "E_SERVICE_DOWN", message: "the service does not answer" } },
    });
  });

  it("is 503 and names the part that is not, without its secrets", async () => {
    await using web = await sampleWeb({ ready: { needed: { store: ok, queue: notReached }, reported: {} } });
    const response = await fetch(`${web.url}/readyz`);

    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({
      ready: false,
      parts: {
        store: "ok",
        queue: { code: "E_QUEUE_UNREACHABLE", message: "no answer from redis://[redacted]@queue" },
      },
    });
  });

  it("asks each part once a second at most, however many ask", async () => {
    let asked = 0;
    let now = 0;
    const store = () => Promise.resolve(void asked++);
    await using web = await sampleWeb({ ready: { needed: { store }, reported: {} }, clock: { now: () => now } });
    const ask = () => fetch(`${web.url}/readyz`).then((response) => response.json());

    await Promise.all([ask(), ask(), ask()]);
    now = 999;
    await ask();
    expect(asked).toBe(1);
    now = 1000;
    await ask();
    expect(asked).toBe(2);
  });

  it("answers in bounded time, also when a part never does", async () => {
    await using web = await sampleWeb({ ready: { needed: { queue: silent }, reported: {} } });
    const response = await fetch(`${web.url}/readyz`);

    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ parts: { queue: { code: "E_NOT_READY" } } });
  });
});

describe("/metrics", () => {
  it("speaks Prometheus' text format", async () => {
    await using web = await sampleWeb();
    const response = await fetch(`${web.url}/metrics`);

    expect(response.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(await response.text()).toContain('svcsync_info{version="1.2.3"} 1');
  });
});

describe("the JSON for scripts", () => {
  it("holds the status with its problems", async () => {
    await using web = await sampleWeb();
    const status: unknown = await (await fetch(`${web.url}/api/status`)).json();

    expect(status).toMatchObject({
      version: "1.2.3",
      problems: expect.arrayContaining([
        "1 uncertain record: a person must check the service.",
        expect.stringContaining("tickets: the service already holds 2,000 tickets"),
      ]),
      streams: [{ name: "customers" }, { name: "contacts", counts: { applied: 1187 } }, { name: "tickets" }],
    });
  });

  it("shows how the service limits svcsync, and so does the page", async () => {
    const service = { state: "closed", probeAt: undefined, holdMs: 11_200, perSecond: 39.8 } as const;
    await using web = await sampleWeb({
      status: sampleStatus({ service: { ...service, concurrency: 4, requests: 9 } }),
    });

    expect(await (await fetch(`${web.url}/api/status`)).json()).toMatchObject({
      service: { holdMs: 11_200, perSecond: 39.8 },
    });
    expect(await (await fetch(web.url)).text()).toContain(
      "answers, asked svcsync to wait 12 s (429) and accepts 40 requests per second;",
    );
  });

  it("has no problems to tell when all is well", async () => {
    await using web = await sampleWeb({ status: sampleStatus({ streams: [] }) });

    expect(await (await fetch(`${web.url}/api/status`)).json()).toMatchObject({ problems: [] });
  });

  it("lists records by stream and state", async () => {
    await using web = await sampleWeb();
    const list = async (query: string): Promise<unknown> => (await fetch(`${web.url}/api/records${query}`)).json();

    expect(await list("?state=applied")).toMatchObject({ records: [{ id: { stream: "customers", key: "10023" } }] });
    expect(await list("?stream=tickets")).toMatchObject({ records: [{ state: "uncertain" }, { state: "waiting" }] });
    expect(await list("?stream=tickets&after-stream=tickets&after-key=T-1")).toMatchObject({
      records: [{ id: { key: "T-2" } }],
    });
  });

  it("tells all about one record", async () => {
    await using web = await sampleWeb();
    const detail: unknown = await (await fetch(`${web.url}/api/records/customers/10023`)).json();

    expect(detail).toMatchObject({ record: { binding: { serviceId: 4711 } }, history: [{ action: "update" }] });
  });
});

describe("the pages", () => {
  it.each(["/nothing", "/records/a", "/records/a/b/c", "/api/records/a/b", "/api"])(
    "answer 404 to %s",
    async (path) => {
      await using web = await sampleWeb();
      expect((await fetch(web.url + path)).status).toBe(404);
    },
  );

  it("say on a record what holds its stream", async () => {
    await using web = await sampleWeb();
    const textOf = async (path: string) => (await fetch(`${web.url}/records/${path}`)).text();

    expect(await textOf("tickets/T-1")).toMatch(
      /<dt>Its stream<\/dt>\s*<dd>the service already holds 2,000 tickets.*<code class="command">svcsync adopt tickets/s,
    );
    expect(await textOf("customers/10023")).not.toContain("Its stream");
  });

  it("explain a record that no poll has shown yet", async () => {
    await using web = await sampleWeb();
    const response = await fetch(`${web.url}/records/customers/99999`);

    expect([response.status, await response.text()]).toEqual([
      404,
      expect.stringContaining("No poll has returned this"),
    ]);
  });

  it.each(["/", "/records", "/records/contacts/10023%7C7%2Fa"])(
    "escape everything and load nothing: %s",
    async (path) => {
      await using web = await sampleWeb();
      const response = await fetch(web.url + path);
      const text = await response.text();

      expect(response.headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src 'sha256-/);
      // The policy holds the hash of the one script that is ours, at the end of the page.
      const others = text.slice(0, text.lastIndexOf("<script>"));
      expect(others).not.toMatch(/<script|<b>|src=|url\(|@import/);
      expect([...text.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).not.toContainEqual(
        expect.stringMatching(/^\w+:\/\//),
      );
    },
  );

  it("show the first hundred causes of thousands", async () => {
    const status = sampleStatus();
    const [group] = await status.groups();
    const groups = Array.from({ length: 1_250 }, (_, at) => ({ ...group!, message: `cause ${at}`, count: 2 }));
    await using web = await sampleWeb({ status: { ...status, groups: async () => groups } });
    const text = await (await fetch(web.url)).text();

    expect(text.match(/cause \d+/g)).toHaveLength(100);
    expect(text).toContain("And 1,150 more causes: ");
  });

  it("name the examples of a cause in the words of people, where they have a name", async () => {
    const causes = causesIn(["1", "2"].flatMap((key) => [parked("customers", key), parked("tickets", key)]));
    const groups = () => Promise.resolve(causes);
    await using web = await sampleWeb({ status: { ...sampleStatus(), groups, names } });
    const cards = (await (await fetch(web.url)).text()).replaceAll(/<a [^>]*>|<\/a>/g, "");

    expect(cards).toContain("See customers/1 (Ö &amp; 1), customers/2 (Ö &amp; 2)</p>");
    expect(cards).toContain("See tickets/1, tickets/2</p>");
  });

  it("read what is held up once, however long that takes and many ask", async () => {
    const reading = Promise.withResolvers<void>();
    let [at, readings] = [now, 0];
    const groups = async () => {
      readings += 1;
      await reading.promise;
      return [];
    };
    await using web = await sampleWeb({ status: { ...sampleStatus(), groups }, clock: { now: () => at } });
    const first = fetch(web.url);
    await expect.poll(() => readings).toBe(1);
    at += 60_000;
    const second = fetch(web.url);
    expect((await fetch(`${web.url}/api/status`)).status).toBe(200);
    reading.resolve();

    expect((await Promise.all([first, second])).map(({ status }) => status)).toEqual([200, 200]);
    expect(readings).toBe(1);
  });

  it("hold no secret, wherever it came from", async () => {
    const status = sampleStatus();
    const record = await status.record({ stream: "contacts", key: "10023|7/a" });
    const leaky = {
      ...record!.record,
      row: { s3cret: "a s3cret b" },
      error: { code: "E_INTERNAL" as const, message: "Bearer abc", details: { x: "s3cret" } },
    };
    await using web = await sampleWeb({
      status: {
        ...status,
        record: () =>
          Promise.resolve({
            record: leaky,
            obstacles: [],
            sides: sampleSides(leaky, false),
            history: [],
            exchanges: [],
          }),
        records: () => Promise.resolve([leaky]),
        groups: () => Promise.resolve(causesIn([leaky])),
      },
    });

    for (const path of ["/", "/records", "/records/a/b", "/api/records", "/api/records/a/b"]) {
      const text = await (await fetch(web.url + path)).text();
      expect(text).not.toMatch(/s3cret|Bearer abc/);
      expect(text).toContain("[redacted]");
    }
  });

  it("only read: other methods are refused, and HEAD has no body", async () => {
    await using web = await sampleWeb();
    const refused = await fetch(`${web.url}/`, { method: "DELETE" });
    const head = await fetch(`${web.url}/`, { method: "HEAD" });

    expect([refused.status, refused.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    expect([head.status, await head.text()]).toEqual([200, ""]);
  });

  it("say so and log it when the store does not answer", async () => {
    await using web = await sampleWeb({ status: { ...sampleStatus(), overview } });
    const response = await fetch(web.url);

    expect([response.status, await response.text()]).toEqual([
      500,
      "this cannot be shown now: E_STORE_FAILED disk of [redacted]\n",
    ]);
    expect(web.logger.lines).toMatchObject([
      { level: "warn", message: "failed to answer a page", fields: { path: "/" } },
    ]);
  });

  it.each(["GET /%E0%A4%A HTTP/1.1", "GET http://other/ HTTP/1.1"])("answer 400 to %s", async (line) => {
    await using web = await sampleWeb();
    const socket = connect(Number(new URL(web.url).port), "127.0.0.1");
    socket.write(`${line}\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    const [chunk] = await once(socket, "data");

    expect(String(chunk)).toMatch(/^HTTP\/1\.1 400 /);
    socket.destroy();
  });
});

describe("retry", () => {
  const path = "/records/tickets/T-2/retry";

  it("is done for our own page, which then shows the record", async () => {
    const status = sampleStatus();
    await using web = await sampleWeb({ status });
    const { action, fields } = await formOf(`${web.url}/records/tickets/T-2`);
    const body = new URLSearchParams(fields);
    const headers = { origin: web.url };
    const response = await fetch(web.url + action, { method: "POST", body, headers, redirect: "manual" });

    expect([response.status, response.headers.get("location")]).toEqual([303, "/records/tickets/T-2"]);
    expect(status.retried).toEqual(["tickets/T-2"]);
  });

  it("is refused to a page of another port of this machine, whatever Origin it can make up", async () => {
    const status = sampleStatus();
    await using web = await sampleWeb({ status });
    const headers = { origin: web.url, "sec-fetch-site": "same-site" };

    expect((await ask(web.url, path, { method: "POST", headers })).status).toBe(403);
    expect(status.retried).toEqual([]);
  });

  it.each([{}, { origin: "https://evil.example" }, { origin: "null" }])("is refused to others: %j", async (headers) => {
    const status = sampleStatus();
    await using web = await sampleWeb({ status });
    const response = await fetch(web.url + path, { method: "POST", headers });

    expect(response.status).toBe(403);
    expect(status.retried).toEqual([]);
  });

  it("needs POST and a record that is there", async () => {
    await using web = await sampleWeb();
    const headers = { origin: web.url };

    expect((await fetch(web.url + path, { headers })).status).toBe(405);
    const { fields } = await formOf(`${web.url}/records/tickets/T-2`);
    const post = { method: "POST", headers, body: new URLSearchParams(fields) };
    expect((await fetch(`${web.url}/records/tickets/T-9/retry`, post)).status).toBe(404);
  });
});

describe("names", () => {
  it.each(["/", "/records", "/readyz", "/metrics", "/api/status", "/api/records/customers/10023"])(
    "of other sites get nothing from %s: DNS rebinding reads no record",
    async (path) => {
      await using web = await sampleWeb();
      const { status, text } = await ask(web.url, path, { headers: { host: "evil.example:8080" } });

      expect([status, text]).toEqual([421, expect.stringContaining("HEALTH_NAMES")]);
      expect(text).not.toContain("10023");
    },
  );

  it("of other sites ask for no retry, although the browser takes them for the same origin", async () => {
    const status = sampleStatus();
    await using web = await sampleWeb({ status });
    const headers = { host: "evil.example", origin: "http://evil.example", "sec-fetch-site": "same-origin" };
    const answer = await ask(web.url, "/records/tickets/T-2/retry", { method: "POST", headers });

    expect(answer.status).toBe(421);
    expect(status.retried).toEqual([]);
  });

  it.each(["localhost", "LOCALHOST.:8080", "127.0.0.1", "[::1]:8080", "10.1.2.3:8080", "erp-host", "sync.example.com"])(
    "of this machine, of the address and of the proxy are answered: %s",
    async (host) => {
      await using web = await sampleWeb({}, { names: ["erp-host", "Sync.Example.com"] });

      expect((await ask(web.url, "/", { headers: { host } })).status).toBe(200);
    },
  );

  it("do not matter to a probe that asks whether the process lives", async () => {
    await using web = await sampleWeb();

    expect(await ask(web.url, "/healthz", { headers: { host: "any" } })).toEqual({ status: 200, text: "alive\n" });
  });

  it("of a proxy that puts its own into Host may ask for a retry", async () => {
    const status = sampleStatus();
    await using web = await sampleWeb({ status }, { names: ["sync.example.com"] });
    const headers = { origin: "https://sync.example.com", "sec-fetch-site": "same-origin" };

    const { action, fields } = await formOf(`${web.url}/records/tickets/T-2`);
    const body = new URLSearchParams(fields);
    expect((await fetch(web.url + action, { method: "POST", headers, body, redirect: "manual" })).status).toBe(303);
    expect(status.retried).toEqual(["tickets/T-2"]);
  });
});

describe("a search for a name", () => {
  it("goes on where the first 20,000 records end, and finds the one behind them", async () => {
    const many = Array.from({ length: 20_001 }, (_, at) =>
      sampleRecord({ stream: "tickets", key: `k${at}` }, { row: { name: at === 20_000 ? "Weit hinten AG" : "x" } }),
    );
    const records: StatusSource["records"] = ({ after, limit }) => {
      const from = after === undefined ? 0 : Number(after.key.slice(1)) + 1;
      return Promise.resolve(many.slice(from, from + limit));
    };
    await using web = await sampleWeb({ status: { ...sampleStatus(), records } });
    const first = await fetch(`${web.url}/api/search?q=weit+hinten`);
    const page = await (await fetch(`${web.url}/search?q=weit+hinten`)).text();
    const [, link = ""] = /href="(\/search\?[^"]+)"/.exec(page) ?? [];

    expect(await first.json()).toEqual({ records: [], isWhole: false, next: { stream: "tickets", key: "k19999" } });
    expect(await (await fetch(web.url + link.replaceAll("&amp;", "&"))).text()).toContain("Found 1");
  });
});

describe("a list as CSV", () => {
  it("has all records, however many, and is made a page at a time", async () => {
    const record = sampleRecord({ stream: "tickets", key: "1" }, { state: "parked" });
    const limits = new Set<number>();
    let left = 60_000;
    const records: StatusSource["records"] = ({ limit }) => {
      limits.add(limit);
      const length = Math.min(limit, left);
      left -= length;
      return Promise.resolve(Array<typeof record>(length).fill(record));
    };
    await using web = await sampleWeb({ status: { ...sampleStatus(), records } });
    const text = await (await fetch(`${web.url}/records.csv`)).text();

    expect(text.trimEnd().split("\r\n")).toHaveLength(1 + 60_000);
    expect([...limits]).toEqual([500]);
  });

  it("is cut off where it cannot be read to its end, and does not look whole", async () => {
    const record = sampleRecord({ stream: "tickets", key: "1" }, { state: "parked" });
    const records: StatusSource["records"] = ({ after, limit }) =>
      after === undefined
        ? Promise.resolve(Array<typeof record>(limit).fill(record))
        : Promise.reject(new RetryError("E_STORE_BUSY", "the store is locked"));
    await using web = await sampleWeb({ status: { ...sampleStatus(), records } });

    await expect(fetch(`${web.url}/records.csv`).then((response) => response.text())).rejects.toThrow(TypeError);
    expect(web.logger.lines).toContainEqual(expect.objectContaining({ message: "failed to answer a page" }));
  });

  it("holds no secret with a quotation mark, which a cell spells twice", async () => {
    const error = {
      code: "E_SERVICE_REFUSED",
      family: "park",
      message: 'no such code: a"s3cret',
      details: {},
    } as const;
    const record = sampleRecord({ stream: "tickets", key: "1" }, { state: "parked", error });
    const records: StatusSource["records"] = () => Promise.resolve([record]);
    const { redact } = new Redaction(['a"s3cret']);
    await using web = await sampleWeb({ status: { ...sampleStatus(), records }, redact });

    expect(await (await fetch(`${web.url}/records.csv`)).text()).not.toContain("s3cret");
  });

  it("holds all pages of the list, and no cell that a spreadsheet takes for a formula", async () => {
    const many = Array.from({ length: 501 }, (_, at) =>
      sampleRecord({ stream: "tickets", key: `=${at}` }, { state: "parked" }),
    );
    const records: StatusSource["records"] = ({ after, limit }) => {
      const from = after === undefined ? 0 : many.findIndex(({ id }) => id.key === after.key) + 1;
      return Promise.resolve(many.slice(from, from + limit));
    };
    await using web = await sampleWeb({ status: { ...sampleStatus(), records } });
    const response = await fetch(`${web.url}/records.csv`);
    const lines = (await response.text()).trimEnd().split("\r\n");

    expect(response.headers.get("content-disposition")).toContain("attachment");
    expect(lines.length).toBe(502);
    expect(lines[0]).toMatch(/^"stream","key","state"/);
    expect(lines.at(-1)).toMatch(/^"tickets","'=500","parked","4711"/);
  });
});

describe("keys that no path can hold", () => {
  it.each(["", ".", "..", "a/../b", "\ud800"])("lead to their record and its retry: %j", async (key) => {
    const record = sampleRecord({ stream: "tickets", key }, { state: "parked" });
    const asked: string[] = [];
    const status = {
      ...sampleStatus(),
      records: () => Promise.resolve([record]),
      record: (id: RecordId) => {
        asked.push(id.key);
        const sides = sampleSides(record, false);
        return Promise.resolve({ record, obstacles: [], sides, history: [], exchanges: [] });
      },
      carryOut: async (_: unknown, { target }: Given) =>
        typeof target === "object" && "key" in target ? asked.push(target.key) : undefined,
    };
    await using web = await sampleWeb({ status });
    const list = await (await fetch(`${web.url}/records`)).text();
    const href = /<th scope="row"><a href="([^"]+)"/.exec(list)![1]!.replaceAll("&amp;", "&");
    const { action, fields } = await formOf(web.url + href);
    const retried = await fetch(web.url + action, {
      method: "POST",
      body: new URLSearchParams(fields),
      headers: { origin: web.url },
      redirect: "manual",
    });

    expect(retried.status).toBe(303);
    expect(asked).toEqual(Array.from({ length: 3 }, () => key.toWellFormed()));
  });
});

describe("the server", () => {
  it("answers a probe although hundreds of connections are held that ask nothing", async () => {
    await using web = await sampleWeb();
    const port = Number(new URL(web.url).port);
    const sockets = Array.from({ length: 300 }, () => connect(port, "127.0.0.1").on("error", () => undefined));
    await Promise.all(sockets.map((socket) => once(socket, "connect")));

    expect((await fetch(`${web.url}/healthz`)).status).toBe(200);
    for (const socket of sockets) socket.destroy();
  });

  it.each([
    ["says nothing", ""],
    ["sends its head a byte at a time", "GET / HTTP/1.1\r\nHost: loc"],
    ["never ends its body", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n"],
  ])("ends a connection that %s", async (_, start) => {
    await using web = await sampleWeb();
    const socket = connect(Number(new URL(web.url).port), "127.0.0.1").on("error", () => undefined);
    await once(socket, "connect");
    socket.resume();
    if (start !== "") socket.write(start);

    expect(await once(socket, "close")).toEqual([false]);
  });

  it("says which port it could not have", async () => {
    await using web = await sampleWeb();
    const port = Number(new URL(web.url).port);
    const { status, logger, ...rest } = { status: sampleStatus(), logger: web.logger };
    const second = startWeb(
      { host: "127.0.0.1", port },
      {
        ...rest,
        status,
        logger,
        ready: { needed: {}, reported: {} },
        metrics: { text: () => Promise.resolve("") },
        access: {},
        pageSecret: "",
        notes: memoryNotes(),
        redact: (text) => text,
        clock: { now: () => 0 },
        version: "1",
      },
    );

    await expect(second).rejects.toMatchObject({
      code: "E_HEALTH_PORT",
      message: expect.stringContaining(`port ${port}`),
    });
  });

  it("ends its connections when it is disposed", async () => {
    const web = await sampleWeb();
    const socket = connect(Number(new URL(web.url).port), "127.0.0.1");
    await once(socket, "connect");
    const closed = once(socket, "close");
    await web[Symbol.asyncDispose]();
    await closed;

    await expect(fetch(web.url)).rejects.toThrow("fetch failed");
  });
});

describe("a request that is not answered", () => {
  const browser = { accept: "text/html,application/xhtml+xml" };

  it("shows a page to a person and a line to a program", async () => {
    await using web = await sampleWeb();
    const page = await fetch(`${web.url}/nowhere`, { headers: browser });
    expect([page.status, page.headers.get("content-type")]).toEqual([404, "text/html; charset=UTF-8"]);
    expect(await page.text()).toContain("This page does not exist");
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    const line = await fetch(`${web.url}/nowhere`);
    expect([line.status, await line.text()]).toEqual([404, "not found\n"]);
    expect((await fetch(`${web.url}/api/nowhere`, { headers: browser })).headers.get("content-type")).toContain(
      "application/json",
    );
  });

  it("names the missing setting where the page is closed, and hides secrets of what failed", async () => {
    await using closed = await sampleWeb({}, { host: "0.0.0.0" });
    const refused = await fetch(closed.url.replace("0.0.0.0", "127.0.0.1"), { headers: browser });
    expect([refused.status, await refused.text()]).toEqual([
      403,
      expect.stringMatching(/<h1>This is not allowed[\s\S]*PAGE_TOKEN/),
    ]);
    await using broken = await sampleWeb({ status: { ...sampleStatus(), overview } });
    const failed = await (await fetch(broken.url, { headers: browser })).text();
    expect(failed).toContain("This cannot be shown now");
    expect(failed).not.toContain("s3cret");
  });
});
