import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { errorFacts, StopError } from "#model";
import type { Logger } from "#telemetry";
import { send, textResponse } from "./answer.ts";
import { boundConnections, timeouts } from "./connections.ts";
import { hostNames, type HostNames } from "./hosts.ts";
import { readinessOf, type ReadinessChecks } from "./readiness.ts";
import { readRequest } from "./request.ts";
import { answer, type RouteDeps } from "./routes.ts";

export interface WebDeps extends Omit<RouteDeps, "readiness"> {
  /** What `/readyz` asks, by name. */
  readonly ready: ReadinessChecks;
  readonly logger: Logger;
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
  const routes = { ...parts, readiness: readinessOf(parts.ready, parts.clock) };
  const names = hostNames(address.host, address.names ?? []);
  const server = createServer(timeouts, (request, response) => {
    void respond(request, response, routes, names, parts.logger);
  });
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

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  parts: RouteDeps,
  names: HostNames,
  logger: Logger,
): Promise<void> {
  // Nothing that is asked here needs a body.
  request.resume();
  const withBody = request.method !== "HEAD";
  const read = readRequest(request, names);
  if (read === undefined) return send(response, textResponse("bad request", 400), withBody);
  try {
    send(response, await answer(read, parts), withBody);
  } catch (err) {
    const { code, message } = errorFacts(err);
    logger.warn(
      { path: `/${read.path.join("/")}`, err: err instanceof Error ? err : errorFacts(err) },
      "failed to answer a page",
    );
    send(response, textResponse(parts.redact(`this cannot be shown now: ${code} ${message}`), 500), withBody);
  }
}
