import { createServer, type Socket } from "node:net";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { listen } from "../setup/listen.ts";
import { open } from "./client.ts";
import { localServer, pem } from "../kit/http.ts";
import { thrownBy } from "../kit/outcome.ts";

/** Answers whatever comes with these bytes, and never closes. */
async function rawServer(answer: string): Promise<{ url: string } & AsyncDisposable> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => undefined).on("data", () => socket.write(answer)));
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      const closed = once(server, "close");
      server.close();
      await closed;
    },
  };
}

describe("an exchange without a usable answer", () => {
  it("was not carried out when no connection stood", async () => {
    using http = open("http://localhost:1");
    const thrown = await thrownBy(http.call({ method: "POST", url: "http://localhost:1/x", json: {} }));
    expect(thrown).toMatchObject({ code: "E_HTTP_UNREACHABLE", outcomeUnknown: false });
  });

  it("may have been carried out when the connection was cut before the answer", async () => {
    await using server = await localServer((_, response) => response.destroy());
    using http = open(server.url);
    const thrown = await thrownBy(http.call({ method: "POST", url: server.url, json: {} }));
    expect(thrown).toMatchObject({ code: "E_HTTP_CUT", outcomeUnknown: true });
  });

  it("may have been carried out when a connection that was kept alive is cut", async () => {
    let requests = 0;
    let connections = 0;
    await using server = await localServer((request, response) => {
      // The second request is read to its end: it may well have been carried out.
      request.resume().on("end", () => (++requests === 1 ? response.end("ok") : response.destroy()));
    });
    server.server.on("connection", () => connections++);
    using http = open(server.url);
    await http.call({ method: "POST", url: server.url, json: { at: 1 } });
    const thrown = await thrownBy(http.call({ method: "POST", url: server.url, json: { at: 2 } }));
    expect([connections, requests]).toEqual([1, 2]);
    expect(thrown).toMatchObject({ code: "E_HTTP_CUT", outcomeUnknown: true });
  });

  it("is never repeated by itself, not even on a connection that the server gave up while idle", async () => {
    let requests = 0;
    await using server = await localServer((request, response) => {
      // Closed without a word as soon as the answer is out: the client cannot know before it sends.
      request.resume().on("end", () => response.end(`${++requests}`, () => request.socket.resetAndDestroy()));
    });
    using http = open(server.url);
    const failures: unknown[] = [];
    for (let sent = 1; sent <= 20; sent++)
      await http.call({ method: "POST", url: server.url, json: {} }).catch((thrown: unknown) => failures.push(thrown));
    for (const thrown of failures) expect(thrown).toMatchObject({ outcomeUnknown: true });
    expect(requests).toBeLessThanOrEqual(20);
    expect(requests + failures.length).toBeGreaterThanOrEqual(20);
  });

  it("may have been carried out when the answer was cut in the middle", async () => {
    await using server = await localServer((_, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("half", () => response.destroy());
    });
    using http = open(server.url);
    const thrown = await thrownBy(http.call({ method: "POST", url: server.url, json: {} }));
    expect(thrown).toMatchObject({ code: "E_HTTP_CUT", outcomeUnknown: true });
  });

  it("may have been carried out when the answer took too long", async () => {
    await using server = await localServer(() => undefined);
    using http = open(server.url, { answerTimeoutMs: 100 });
    const thrown = await thrownBy(http.call({ method: "POST", url: server.url, json: {} }));
    expect(thrown).toMatchObject({ code: "E_HTTP_TIMEOUT", outcomeUnknown: true });
  });

  it("may have been carried out when the whole call took too long", async () => {
    await using server = await localServer((_, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("slow");
    });
    using http = open(server.url, { callTimeoutMs: 200 });
    const thrown = await thrownBy(http.call({ method: "POST", url: server.url, json: {} }));
    expect(thrown).toMatchObject({ code: "E_HTTP_TIMEOUT", outcomeUnknown: true });
  });

  it("was not carried out when the connection took too long to stand", async () => {
    const held: Socket[] = [];
    const silent = createServer((socket) => void held.push(socket));
    const port = await listen(silent);
    using http = open(`https://127.0.0.1:${port}`, { connectTimeoutMs: 100 });
    const thrown = await thrownBy(http.call({ method: "POST", url: `https://127.0.0.1:${port}`, json: {} }));
    expect(thrown).toMatchObject({ code: "E_HTTP_TIMEOUT", outcomeUnknown: false });
    for (const socket of held) socket.destroy();
    silent.close();
  });

  it("never names the query or credentials of the address", async () => {
    using http = open("http://localhost:1");
    const url = "http://user:word@localhost:1/path?token=secret";
    const thrown = await thrownBy(http.call({ method: "GET", url }));
    expect(String(thrown)).not.toMatch(/secret|word@/);
    expect(String(thrown)).toContain("GET http://localhost:1/path");
  });
});

describe("secure connections", () => {
  it("trust a private authority from a file beside the system's", async () => {
    await using server = await localServer((_, response) => response.end("secure"), { tls: true });
    using http = open(server.url, { caFile: pem("authority") });
    expect((await http.call({ method: "GET", url: server.url })).text()).toBe("secure");
  });

  it("refuse an authority that nobody vouches for, before anything was sent", async () => {
    await using server = await localServer((_, response) => response.end("secure"), { tls: true });
    using http = open(server.url);
    const thrown = await thrownBy(http.call({ method: "POST", url: server.url, json: {} }));
    expect(thrown).toMatchObject({ code: "E_HTTP_TLS", outcomeUnknown: false });
  });

  it("are not what a server of plain http offers, and it is said so", async () => {
    await using server = await localServer((_, response) => response.end("plain"));
    const url = server.url.replace("http:", "https:");
    using http = open(url);
    await expect(http.call({ method: "GET", url })).rejects.toMatchObject({
      code: "E_HTTP_TLS",
      message: expect.stringMatching(/does not speak https at this port: write http/),
    });
  });

  it("stop a start with a file that holds no certificate", () => {
    expect(() => open("https://localhost", { caFile: pem("server-key") })).toThrow(/holds no certificate/);
    expect(() => open("https://localhost", { caFile: "/nowhere/ca.pem" })).toThrow(/nowhere/);
  });

  it("fail as not sent when the handshake is cut", async () => {
    const server = createServer((socket) => socket.destroy());
    const port = await listen(server);
    using http = open(`https://127.0.0.1:${port}`);
    const thrown = await thrownBy(http.call({ method: "POST", url: `https://127.0.0.1:${port}`, json: {} }));
    expect(thrown).toMatchObject({ code: "E_HTTP_TLS", outcomeUnknown: false });
    server.close();
  });

  it.each([
    ["a redirect too many whose body never ends", "302 Found", "Location: /again", "E_HTTP_TIMEOUT"],
    ["a redirect to nowhere whose body never ends", "302 Found", "Location: http://", "E_HTTP_TIMEOUT"],
    ["another protocol", "101 Switching Protocols", "Connection: Upgrade\r\nUpgrade: x", "E_HTTP_MALFORMED"],
  ])("ends in time when the server answers with %s", async (_what, status, header, code) => {
    await using server = await rawServer(`HTTP/1.1 ${status}\r\n${header}\r\nContent-Length: 10\r\n\r\n`);
    using http = open(server.url, { callTimeoutMs: 500 });
    const thrown = await thrownBy(http.call({ method: "GET", url: server.url }));
    expect(thrown).toMatchObject({ code, outcomeUnknown: true });
  });

  it("keeps no connection for a redirect whose body never ended", async () => {
    await using server = await localServer((request, response) => {
      if (request.url === "/") response.writeHead(302, { location: "/there", "content-length": "10" }).write("half");
      else response.end("there");
    });
    using http = open(server.url, { connections: 1, callTimeoutMs: 500 });
    expect(await thrownBy(http.call({ method: "GET", url: server.url }))).toMatchObject({ code: "E_HTTP_TIMEOUT" });
    expect((await http.call({ method: "GET", url: `${server.url}/there` })).text()).toBe("there");
  });
});
