import type { Server } from "node:http";
import type { Socket } from "node:net";

/** Connections at once: far beyond what browsers, probes and a scraper hold. */
const connectionsMax = 128;

/** Time-outs of the server: those who ask are near, slower ones would only hold connections. */
export const timeouts = {
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 5_000,
  /** How often the two above are looked at; Node's own half minute would be the real time-out. */
  connectionsCheckingInterval: 1_000,
};

/** Bounds the open connections: a new one ends the one that has asked nothing for the longest time, so that a probe is answered. */
export function boundConnections(server: Server): void {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    const [oldest] = sockets;
    if (sockets.size > connectionsMax) oldest?.destroy();
  });
  server.on("request", ({ socket }) => {
    if (!sockets.delete(socket)) return;
    sockets.add(socket);
  });
}
