import { once } from "node:events";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { errorFacts, StopError } from "#model";
import { newApp, nodeServer, type App } from "#server";
import { hostNames } from "./access/hosts.ts";
import { webApp } from "./app.ts";
import { readinessOf, type ReadinessChecks } from "./readiness.ts";
import { jsonAnswer, type RouteDeps } from "./route-deps.ts";

export interface WebDeps extends Omit<RouteDeps, "readiness"> {
  /** What `/readyz` asks, by name. */
  readonly ready: ReadinessChecks;
}

export interface WebAddress {
  readonly host: string;
  readonly port: number;
  /** Names under which a proxy serves the page. */
  readonly names?: readonly string[];
}

/** The running server. Disposing it closes its connections. */
export interface Web extends AsyncDisposable {
  /** Where it listens, e.g. `http://127.0.0.1:8080`. */
  readonly url: string;
}

/**
 * Starts to serve health, metrics and the status page. Port 0 takes any free one.
 * @throws {StopError} E_HEALTH_PORT when the port or the address is not available.
 */
export async function startWeb(address: WebAddress, parts: WebDeps): Promise<Web> {
  const deps = { ...parts, readiness: readinessOf(parts.ready, parts.clock) };
  return listen(address, webApp(deps, hostNames(address.host, address.names ?? []), address.host));
}

/**
 * Serves a daemon that stands by: it is alive, but not ready. Everything else is served where `holder` runs. `why`: why
 * it does not work beside that one.
 * @throws {StopError} E_HEALTH_PORT
 */
export async function startStandbyWeb(address: WebAddress, holder: string, why: string): Promise<Web> {
  const app = newApp({ defaultSrc: ["'none'"] });
  const message = `standing by: ${holder} has the store; ${why}`;
  app.get("/healthz", (c) => c.text("alive\n"));
  app.get("/readyz", (c) => jsonAnswer(c, { ready: false, parts: { store: { code: "E_STORE_BUSY", message } } }, 503));
  app.all("*", (c) => c.text(`${message}\n`, 503));
  return listen(address, app);
}

async function listen(address: WebAddress, app: App): Promise<Web> {
  const server = nodeServer(app, timeouts);
  boundConnections(server);
  try {
    server.listen(address.port, address.host);
    await once(server, "listening");
  } catch (cause) {
    const message = `cannot listen on ${address.host} port ${address.port} (HEALTH_HOST, HEALTH_PORT): ${errorFacts(cause).message}`;
    throw new StopError("E_HEALTH_PORT", message, { cause });
  }
  const bound = server.address();
  const port = typeof bound === "object" && bound !== null ? bound.port : address.port;
  const host = address.host.includes(":") ? `[${address.host}]` : address.host;
  return {
    url: `http://${host}:${port}`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Maximum concurrent connections, far more than browsers, probes and a scraper use. */
const connectionsMax = 128;

/** Time-outs of the server. Clients are near; slower ones would only hold connections. */
const timeouts = {
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 5_000,
  /**
   * How often the first two are checked. Each check wakes an idle process, and Node's default of 30 s would replace the
   * time-outs.
   */
  connectionsCheckingInterval: 5_000,
};

/**
 * Limits the open connections: a new connection closes the one that has been idle for the longest time, so that a probe
 * gets an answer.
 */
function boundConnections(server: Server): void {
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
