import { once } from "node:events";
import { errorFacts, StopError } from "#model";
import { newApp, nodeServer, type App } from "#server";
import { webApp } from "./app.ts";
import { boundConnections, timeouts } from "./connections.ts";
import { hostNames } from "./access/hosts.ts";
import type { RouteDeps } from "./route-deps.ts";
import { jsonAnswer } from "./json-answer.ts";
import { readinessOf, type ReadinessChecks } from "./readiness.ts";

export interface WebDeps extends Omit<RouteDeps, "readiness"> {
  /** What `/readyz` asks, by name. */
  readonly ready: ReadinessChecks;
}

export interface WebAddress {
  readonly host: string;
  readonly port: number;
  /** Names behind a proxy under which the page is reached. */
  readonly names?: readonly string[];
}

/** The running server. Disposing it ends its connections. */
export interface Web extends AsyncDisposable {
  /** Where it listens, e.g. `http://127.0.0.1:8080`. */
  readonly url: string;
}

/**
 * Starts to answer health, metrics and the status page. Port 0 takes any free one.
 * @throws {StopError} E_HEALTH_PORT when the port or the address cannot be had.
 */
export async function startWeb(address: WebAddress, parts: WebDeps): Promise<Web> {
  const deps = { ...parts, readiness: readinessOf(parts.ready, parts.clock) };
  return listen(address, webApp(deps, hostNames(address.host, address.names ?? []), address.host));
}

/**
 * Answers for a daemon that stands by: it is alive, and not ready. Everything else is where `holder` runs.
 * @throws {StopError} E_HEALTH_PORT
 */
export async function startStandbyWeb(address: WebAddress, holder: string): Promise<Web> {
  const app = newApp({ defaultSrc: ["'none'"] });
  const message = `standing by: ${holder} has the store`;
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
