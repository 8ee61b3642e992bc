import { getEventListeners } from "node:events";
import type { IncomingHttpHeaders } from "node:http";
import { gzipSync } from "node:zlib";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { HttpFailure } from "#http";
import { open } from "./client.ts";
import { localServer } from "../kit/http.ts";
import { thrownBy } from "../kit/outcome.ts";

describe("the HTTP client", () => {
  it("sends JSON once serialised and answers any status with its body", async () => {
    const bodies: string[] = [];
    await using server = await localServer((request, response) => {
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk.toString()));
      request.on("end", () => {
        bodies.push(`${request.headers["content-type"]} ${body}`);
        response.writeHead(404, { "content-type": "application/json" }).end('{"errorMessage":"no"}');
      });
    });
    using http = open(server.url);
    const answer = await http.call({ method: "POST", url: server.url, json: { name: "Ä" } });
    expect(bodies).toEqual(['application/json {"name":"Ä"}']);
    expect([answer.status, answer.ok, await answer.json()]).toEqual([404, false, { errorMessage: "no" }]);
  });

  it("sends forms, headers and its User-Agent, and reads text in the encoding that the caller knows", async () => {
    let headers: IncomingHttpHeaders = {};
    let form = "";
    await using server = await localServer((request, response) => {
      headers = request.headers;
      request.on("data", (chunk: Buffer) => (form += chunk.toString()));
      request.on("end", () => response.end(Buffer.from("Müller", "latin1")));
    });
    using http = open(server.url);
    const sent = { method: "POST", url: server.url, form: { a: "1 2" }, headers: { "x-one": "1" } } as const;
    const answer = await http.call(sent);
    expect(form).toBe("a=1+2");
    expect([headers["user-agent"], headers["x-one"]]).toEqual(["svcsync-test/1", "1"]);
    expect(answer.text("latin1")).toBe("Müller");
  });

  it("keeps connections alive", async () => {
    await using server = await localServer((_, response) => response.end("ok"));
    let connections = 0;
    server.server.on("connection", () => connections++);
    using http = open(server.url);
    for (let at = 0; at < 5; at++) await http.call({ method: "GET", url: server.url });
    expect(connections).toBe(1);
  });

  it("leaves nothing behind on a connection that is kept, and takes an answer that comes before the request has ended", async () => {
    const warnings: string[] = [];
    const heard = ({ name }: Error) => void warnings.push(name);
    process.on("warning", heard);
    await using server = await localServer((_, response) => response.end("early"));
    using http = open(server.url, { connections: 1, answerTimeoutMs: 1_000 });
    for (let call = 1; call <= 12; call++)
      expect((await http.call({ method: "POST", url: server.url, json: "x".repeat(call * 1_000) })).text()).toBe(
        "early",
      );
    await nextTurn();
    process.off("warning", heard);
    expect(warnings).toEqual([]);
  });

  it("sends back the cookies that a server set when it is told to", async () => {
    const cookies: (string | undefined)[] = [];
    await using server = await localServer((request, response) => {
      cookies.push(request.headers.cookie);
      response.setHeader("set-cookie", "session=abc; Path=/").end();
    });
    using http = open(server.url, { cookies: true });
    for (let at = 0; at < 2; at++) await http.call({ method: "GET", url: server.url });
    expect(cookies).toEqual([undefined, "session=abc"]);
  });

  it("follows redirects of reads and answers those of writes", async () => {
    await using server = await localServer((request, response) => {
      if (request.url === "/new") response.end("here");
      else response.writeHead(302, { location: "/new" }).end();
    });
    using http = open(server.url);
    const read = await http.call({ method: "GET", url: `${server.url}/old` });
    const write = await http.call({ method: "POST", url: `${server.url}/old`, json: {} });
    expect([read.text(), write.status, write.headers.location]).toEqual(["here", 302, "/new"]);
  });

  it.each([
    ["another host", (url: string) => url.replace("localhost", "127.0.0.1")],
    ["another port", () => "http://localhost:1/"],
    ["another scheme", (url: string) => url.replace("http:", "https:")],
    ["another host without a scheme", (url: string) => `//127.0.0.1:${new URL(url).port}/`],
  ])("follows no redirect to %s, whatever header carries the key", async (_what, elsewhere) => {
    const keys: unknown[] = [];
    await using server = await localServer((request, response) => {
      keys.push(request.headers["x-api-key"]);
      if (request.url === "/old") response.writeHead(302, { location: "/hop" }).end();
      else response.writeHead(302, { location: elsewhere(server.url) }).end();
    });
    using http = open(server.url);
    const call = http.call({ method: "GET", url: `${server.url}/old`, headers: { "x-api-key": "k" } });
    expect(await thrownBy(call)).toMatchObject({
      code: "E_HTTP_ORIGIN",
      message: expect.stringMatching(
        /^GET .*\/old: a redirect to https?:.* is refused, because only http:\/\/localhost/,
      ),
    });
    expect(keys).toEqual(["k", "k"]);
  });

  it("sends nothing to another origin than its own", async () => {
    let requests = 0;
    await using server = await localServer((_, response) => response.end(String(++requests)));
    using http = open("https://localhost");
    const thrown = await thrownBy(http.call({ method: "POST", url: server.url, json: {} }));
    expect(thrown).toMatchObject({ code: "E_HTTP_ORIGIN", outcomeUnknown: false });
    expect(requests).toBe(0);
  });

  it("refuses an answer that is larger than the limit, told ahead or not", async () => {
    await using server = await localServer((request, response) => {
      if (request.url === "/told") response.end(Buffer.alloc(5000));
      else for (let at = 0; at < 50; at++) response.write(Buffer.alloc(100));
      response.end();
    });
    using http = open(server.url, { responseLimitBytes: 2000 });
    for (const path of ["/told", "/untold"]) {
      const thrown = await thrownBy(http.call({ method: "GET", url: server.url + path }));
      expect(thrown).toMatchObject({ code: "E_HTTP_TOO_LARGE", family: "retry" });
    }
  });

  it("ends at once with the abort reason when the signal is aborted", async () => {
    await using server = await localServer(() => undefined);
    using http = open(server.url);
    const stop = new AbortController();
    const call = thrownBy(http.call({ method: "GET", url: server.url, signal: stop.signal }));
    const reason = new Error("stopping");
    server.server.once("request", () => stop.abort(reason));
    expect(await call).toBe(reason);
    expect(await thrownBy(http.call({ method: "GET", url: server.url, signal: stop.signal }))).toBe(reason);
  });

  it("lets any number of calls share one signal, at the price of one listener", async () => {
    await using server = await localServer((_, response) => response.end("ok"));
    using http = open(server.url, { connections: 30 });
    const warnings: Error[] = [];
    const heard = (warning: Error) => void warnings.push(warning);
    process.on("warning", heard);
    const { signal } = new AbortController();
    await Promise.all(Array.from({ length: 30 }, () => http.call({ method: "GET", url: server.url, signal })));
    await new Promise((resolve) => setImmediate(resolve));
    process.off("warning", heard);
    expect(warnings).toEqual([]);
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
  });

  it.each(["DELETE", "GET"] as const)(
    "tells how long the body of a %s is, which others follow on its connection",
    async (method) => {
      const bodies: string[] = [];
      await using server = await localServer((request, response) => {
        let body = "";
        request.on("data", (chunk: Buffer) => (body += chunk.toString()));
        request.on("end", () => {
          bodies.push(body);
          response.end();
        });
      });
      using http = open(server.url, { connections: 1 });
      for (let at = 0; at < 2; at++) await http.call({ method, url: server.url, json: { name: "Ä" } });
      expect(bodies).toEqual(['{"name":"Ä"}', '{"name":"Ä"}']);
    },
  );

  it("sends writes without a body, and reads answers without one", async () => {
    const seen: string[] = [];
    await using server = await localServer((request, response) => {
      seen.push(`${request.method} ${request.headers["content-length"] ?? request.headers["transfer-encoding"]}`);
      request.resume().on("end", () => response.writeHead(204).end());
    });
    using http = open(server.url);
    for (const method of ["POST", "PUT", "DELETE"] as const) {
      const answer = await http.call({ method, url: server.url });
      expect([answer.status, answer.bytes.length, await answer.json()]).toEqual([204, 0, undefined]);
    }
    expect(seen).toEqual(["POST 0", "PUT 0", "DELETE undefined"]);
  });

  it("reads compressed answers, in however many pieces they come", async () => {
    const text = JSON.stringify(Array.from({ length: 5_000 }, (_, at) => ({ id: at, name: `Ä${at}` })));
    const packed = gzipSync(text);
    await using server = await localServer((_, response) => {
      response.writeHead(200, { "content-encoding": "gzip" });
      response.write(packed.subarray(0, 1_000));
      setImmediate(() => response.end(packed.subarray(1_000)));
    });
    using http = open(server.url);
    expect((await http.call({ method: "GET", url: server.url })).text()).toBe(text);
  });

  it("says of broken JSON what came, but not its content", async () => {
    await using server = await localServer((_, response) => response.end("<html>secret"));
    using http = open(server.url);
    const answer = await http.call({ method: "GET", url: `${server.url}/x?token=hidden` });
    const thrown = await thrownBy(answer.json());
    expect(thrown).toBeInstanceOf(HttpFailure);
    expect(String(thrown)).toMatch(
      /GET http:\/\/localhost:\d+\/x: answered 200 with 12 bytes of no content type that are not JSON/,
    );
  });

  it("lets everything else go on while it reads a large answer", async () => {
    const rows = Array.from({ length: 90_000 }, (_, id) => ({ id, name: "a customer with an ordinary name" }));
    await using server = await localServer((_, response) => response.end(JSON.stringify({ rows })));
    using http = open(server.url, { responseLimitBytes: 32_000_000 });
    const answer = await http.call({ method: "GET", url: server.url });
    expect(answer.bytes.length).toBeGreaterThan(4 * 1024 * 1024);
    let others = 0;
    const other = () => void (others++, (pending = setImmediate(other)));
    let pending = setImmediate(other);
    const body = await answer.json();
    clearImmediate(pending);
    expect(others).toBeGreaterThan(10);
    expect(body).toEqual({ rows });
  });
});
