import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { bypassesProxy } from "../../src/http/no-proxy.ts";
import { open } from "./client.ts";
import { localServer, pem } from "../kit/http.ts";
import { thrownBy } from "../kit/outcome.ts";

/** A proxy that knows CONNECT: every host it is asked for is the local machine. */
async function proxy(tunnels: string[]) {
  const server = await localServer((_, response) => response.writeHead(400).end());
  server.server.on("connect", (request, socket) => {
    tunnels.push(`${request.url} ${request.headers["proxy-authorization"] ?? ""}`.trim());
    const target = connect(Number(request.url?.split(":").at(-1)), "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      target.pipe(socket).pipe(target);
    });
    for (const side of [socket, target]) side.on("error", () => socket.destroy());
  });
  return server;
}

describe("the proxy", () => {
  it.each([{ tls: false }, { tls: true }])("carries calls through a tunnel, secure: $tls", async ({ tls }) => {
    const tunnels: string[] = [];
    await using through = await proxy(tunnels);
    await using server = await localServer((_, response) => response.end("behind"), { tls });
    using http = open(server.url.replace("localhost", "erp.example"), {
      caFile: pem("authority"),
      proxy: { url: through.url.replace("//", "//me:pass@"), except: [] },
    });
    const answer = await http.call({ method: "GET", url: server.url.replace("localhost", "erp.example") });
    expect(answer.text()).toBe("behind");
    expect(tunnels).toEqual([`erp.example:${server.port} Basic ${Buffer.from("me:pass").toString("base64")}`]);
  });

  it("fails as not sent when it refuses the tunnel", async () => {
    await using through = await localServer((_, response) => response.end());
    through.server.on("connect", (_, socket) => socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n"));
    using http = open("http://erp.example", { proxy: { url: through.url, except: [] } });
    const thrown = await thrownBy(http.call({ method: "POST", url: "http://erp.example/", json: {} }));
    expect(thrown).toMatchObject({ code: "E_HTTP_UNREACHABLE", outcomeUnknown: false });
  });

  it.each([
    ["http://erp.example/", ["erp.example"], true],
    ["http://erp.example/", [".example"], true],
    ["http://erp.example/", ["*.example"], true],
    ["http://erp.example/", ["example"], true],
    ["http://myexample/", ["example"], false],
    ["https://erp.example/", ["erp.example:443"], true],
    ["https://erp.example/", ["erp.example:8443"], false],
    ["http://10.0.0.5/", ["10.0.0.5"], true],
    ["http://[fd00::5]/", ["fd00::5"], true],
    ["http://[fd00::5]/", ["[fd00::5]"], true],
    ["http://[fd00::5]:8080/", ["[fd00::5]:8080"], true],
    ["http://[fd00::5]/", ["fd00::6"], false],
    ["http://erp.example/", ["*"], true],
    ["http://erp.example/", ["", "other.example"], false],
    ["http://localhost:9/", [], true],
    ["http://127.0.0.1:9/", [], true],
    ["http://[::1]:9/", [], true],
  ])("is passed by for %s when NO_PROXY is %j: %s", (url, except, expected) => {
    expect(bypassesProxy(new URL(url), except)).toBe(expected);
  });
});
