import { once } from "node:events";
import type { Server } from "node:http";
import { StopError } from "#model";

/**
 * Starts to listen and resolves to the base address.
 * @throws {StopError} E_SANDBOX_PORT when the port is not available.
 */
export async function listen(server: Server, host: string, port: number): Promise<string> {
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (cause) {
    throw new StopError("E_SANDBOX_PORT", `the sandbox cannot listen on ${host}:${port}`, { cause });
  }
  return baseUrl(server.address());
}

/** Closes a server and every connection to it. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function baseUrl(address: ReturnType<Server["address"]>): string {
  if (address === null || typeof address === "string") throw new TypeError("the sandbox listens on a port, not a path");
  return `http://${address.family === "IPv6" ? `[${address.address}]` : address.address}:${address.port}`;
}
