import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startSandbox, type Fault, type Sandbox } from "#sandbox";
import { localServer, pem } from "../kit/http.ts";
import { never, thrownBy } from "../kit/outcome.ts";
import { serviceOf } from "./service-of-settings.ts";

describe("the manners that the environment sets", () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox();
    const names = Array.from({ length: 50 }, (_, at) => ({ name: `department ${at} ${"x".repeat(100)}` }));
    sandbox.seed("department", names);
  });
  afterAll(() => sandbox[Symbol.asyncDispose]());

  const create: Fault = { kind: "latency", ms: 60_000, resource: "away", method: "POST", count: 1 };
  it.each<[string, string, Fault]>([
    ["SERVICE_ANSWER_TIMEOUT_SECONDS", "0.2", create],
    [
      "SERVICE_CALL_TIMEOUT_SECONDS",
      "0.5",
      { kind: "slowBody", ms: 60_000, resource: "away", method: "POST", count: 1 },
    ],
  ])("%s=%s ends a create that takes longer, its outcome unknown", async (key, seconds, fault) => {
    sandbox.faults.clear();
    sandbox.faults.add(fault);
    const others = key.includes("CALL")
      ? { SERVICE_ANSWER_TIMEOUT_SECONDS: seconds, SERVICE_CONNECT_TIMEOUT_SECONDS: seconds }
      : {};
    await using service = serviceOf(sandbox.url, { [key]: seconds, ...others });
    const thrown = await thrownBy(service.create("away", { name: "x" }, never));
    expect(String(thrown)).toMatch(new RegExp(`${Number(seconds) * 1000} ?ms$`));
    expect(thrown).toMatchObject({
      code: "E_SERVICE_UNREACHABLE",
      outcomeUnknown: true,
      details: { reason: "timeout" },
    });
  });

  it("SERVICE_RESPONSE_LIMIT_BYTES refuses an answer that is larger", async () => {
    await using service = serviceOf(sandbox.url, { SERVICE_RESPONSE_LIMIT_BYTES: "2000" });
    const read = thrownBy(service.create("away", { name: "x".repeat(3000) }, never));
    expect(await read).toMatchObject({ code: "E_SERVICE_ANSWER", details: { reason: "too-large" } });
  });

  it("HTTP_PROXY carries every call with its credentials, and NO_PROXY leaves a host out", async () => {
    const tunnels: string[] = [];
    await using proxy = await localServer((_, response) => response.writeHead(400).end());
    proxy.server.on("connect", (request, socket) => {
      tunnels.push(`${request.url} ${request.headers["proxy-authorization"]}`);
      const target = connect(Number(new URL(sandbox.url).port), "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        target.pipe(socket).pipe(target);
      });
      for (const side of [socket, target]) side.on("error", () => socket.destroy());
    });
    const url = "http://service.invalid";
    const address = proxy.url.replace("//", "//me:pass%40word@");
    await using service = serviceOf(url, { HTTP_PROXY: address });
    await service.ping(never);
    await service.ping(never);
    expect(tunnels).toEqual([`service.invalid:80 Basic ${Buffer.from("me:pass@word").toString("base64")}`]);
    await using direct = serviceOf(url, { HTTP_PROXY: address, NO_PROXY: "service.invalid" });
    const thrown = await thrownBy(direct.create("away", { name: "x" }, never));
    expect(thrown).toMatchObject({ code: "E_SERVICE_UNREACHABLE", outcomeUnknown: false });
    expect(tunnels).toHaveLength(1);
  });

  it("SERVICE_CA_FILE lets a tenant with a private authority be trusted, and nobody is without it", async () => {
    const list = { totalCount: 0, offset: 0, limit: 1, customer: [] };
    await using server = await localServer((_, response) => response.end(JSON.stringify(list)), { tls: true });
    await using trusting = serviceOf(server.url, { SERVICE_CA_FILE: pem("authority") });
    await trusting.ping(never);
    await using careful = serviceOf(server.url, {});
    const thrown = await thrownBy(careful.create("away", { name: "x" }, never));
    expect(thrown).toMatchObject({ code: "E_SERVICE_UNREACHABLE", outcomeUnknown: false, details: { reason: "tls" } });
  });
});
