import { createServer, connect, type Socket } from "node:net";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { listen } from "../setup/listen.ts";
import { localServer, pem } from "../kit/http.ts";
import { open } from "./client.ts";

class NotNow extends Error {}

/** Takes connections at once and carries nothing until it is released, like a server whose handshake is slow. */
async function slowDoor(port: number) {
  const waiting: Socket[] = [];
  const server = createServer((socket) => void waiting.push(socket.pause()));
  const at = await listen(server);
  return {
    port: at,
    connected: once(server, "connection"),
    release() {
      for (const socket of waiting) {
        const target = connect(port, "127.0.0.1");
        socket.pipe(target).pipe(socket);
        for (const side of [socket, target]) side.on("error", () => [socket, target].map((each) => each.destroy()));
      }
    },
    async [Symbol.asyncDispose]() {
      for (const socket of waiting) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

async function counting(tls: boolean) {
  const bodies: string[] = [];
  const server = await localServer(
    (request, response) => {
      let body = "";
      request
        .on("data", (chunk: Buffer) => (body += chunk.toString()))
        .on("end", () => {
          bodies.push(body);
          response.end("done");
        });
    },
    { tls },
  );
  return Object.assign(server, { bodies });
}

describe("the last question before a request leaves", () => {
  it("is asked when a slow handshake is over; what it throws means that nothing was sent", async () => {
    await using server = await counting(true);
    await using door = await slowDoor(server.port);
    const url = `https://localhost:${door.port}`;
    using http = open(url, { caFile: pem("authority") });
    let mayGo = true;
    const asked: boolean[] = [];
    const sent = http.call({
      method: "POST",
      url,
      json: { a: 1 },
      mayGo: () => {
        asked.push(mayGo);
        if (!mayGo) throw new NotNow();
      },
    });
    sent.catch(() => undefined);
    await door.connected;
    expect(asked).toEqual([]);
    mayGo = false;
    door.release();
    await expect(sent).rejects.toBeInstanceOf(NotNow);
    mayGo = true;
    // Behind the refused request on the same server: had a byte of it left, it would be there by now.
    using direct = open(server.url, { caFile: pem("authority") });
    await direct.call({ method: "POST", url: server.url, json: { b: 2 } });
    expect([asked, server.bodies]).toEqual([[false], ['{"b":2}']]);
  });

  it.each([{ tls: true }, { tls: false }])(
    "lets requests pass, on new connections and kept ones: $tls",
    async ({ tls }) => {
      await using server = await counting(tls);
      using http = open(server.url, { caFile: pem("authority"), connections: 1 });
      let asked = 0;
      for (const at of [1, 2])
        await http.call({ method: "POST", url: server.url, json: { at }, mayGo: () => void (asked += 1) });
      expect([asked, server.bodies]).toEqual([2, ['{"at":1}', '{"at":2}']]);
    },
  );

  it.each([{ tls: true }, { tls: false }])(
    "withholds a request on a connection that was kept: $tls",
    async ({ tls }) => {
      await using server = await counting(tls);
      using http = open(server.url, { caFile: pem("authority"), connections: 1 });
      await http.call({ method: "POST", url: server.url, json: { at: 1 } });
      const withheld = http.call({
        method: "POST",
        url: server.url,
        json: { at: 2 },
        mayGo: () => {
          throw new NotNow();
        },
      });
      await expect(withheld).rejects.toBeInstanceOf(NotNow);
      await http.call({ method: "POST", url: server.url, json: { at: 3 } });
      expect(server.bodies).toEqual(['{"at":1}', '{"at":3}']);
    },
  );
});
