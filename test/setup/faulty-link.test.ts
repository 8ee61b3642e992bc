import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FaultyLink } from "../kit/faulty-link.ts";
import { listen } from "./listen.ts";

/** A server that answers each piece with itself. */
const heard: string[] = [];
const ports: (number | undefined)[] = [];
const sockets: Socket[] = [];
const server = createServer((socket) => {
  ports.push(socket.remotePort);
  sockets.push(socket);
  socket
    .on("error", () => undefined)
    .on("data", (data) => {
      heard.push(data.toString());
      socket.write(data);
    });
});
let port = 0;
beforeAll(async () => {
  port = await listen(server);
});
afterAll(() => server.close());

async function client(link: FaultyLink): Promise<Socket> {
  const socket = connect(link.port, "127.0.0.1").on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

const answer = async (socket: Socket) => String((await once(socket, "data"))[0]);

describe("a faulty link", () => {
  it("brings what it held when it heals, in order", async () => {
    await using link = await FaultyLink.to(port);
    const socket = await client(link);
    link.hold("toServer");
    socket.write("held");
    link.hold("toClient");
    await expect.poll(() => heard).toContain("held");
    link.heal();
    expect(await answer(socket)).toBe("held");
  });

  it("loses what a client sent that has gone meanwhile", async () => {
    await using link = await FaultyLink.to(port);
    const socket = await client(link);
    socket.write("first");
    await answer(socket);
    link.hold("toServer");
    socket.write("lost");
    socket.destroy();
    await expect.poll(() => link.isWaiting(ports.at(-1))).toBe(false);
    link.heal();
    const other = await client(link);
    other.write("other");
    await answer(other);
    expect(heard).not.toContain("lost");
  });

  it("keeps a request back and brings it after its client has gone; other connections go on", async () => {
    await using link = await FaultyLink.to(port);
    link.client = 1;
    const socket = await client(link);
    const keeping = link.keepNext("POST", 10_000);
    socket.write("GET first");
    await answer(socket);
    socket.write("POST late");
    const kept = await keeping;
    expect(kept?.client).toBe(1);
    socket.destroy();
    const other = await client(link);
    other.write("POST other");
    await answer(other);
    expect(heard).not.toContain("POST late");
    kept?.bring();
    await expect.poll(() => heard).toContain("POST late");
  });

  it("lets a client hear of the server's end when it heals", async () => {
    await using link = await FaultyLink.to(port);
    const socket = await client(link);
    socket.write("before");
    await answer(socket);
    const serverPort = ports.at(-1);
    link.hold("toServer", "toClient");
    sockets.at(-1)?.destroy();
    await expect.poll(() => link.owns(serverPort)).toBe(false);
    expect(socket.destroyed).toBe(false);
    const closed = once(socket.resume(), "close");
    link.heal();
    await closed;
  });

  it("cuts the connection at the next answer: the server has heard the request", async () => {
    await using link = await FaultyLink.to(port);
    const socket = await client(link);
    link.cutNextAnswer();
    socket.write("unanswered");
    await once(socket, "close");
    expect(heard).toContain("unanswered");
  });
});
