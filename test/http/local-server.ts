import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { listen } from "../setup/listen.ts";
import { openHttp, type HttpClient, type HttpSettings } from "#http";

export interface LocalServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly server: Server;
}

export async function localServer(listener: RequestListener, options: { tls?: boolean } = {}): Promise<LocalServer> {
  const server = options.tls
    ? createTlsServer({ key: readFileSync(pem("server-key")), cert: readFileSync(pem("server")) }, listener)
    : createServer(listener);
  const port = await listen(server);
  return {
    url: `${options.tls ? "https" : "http"}://localhost:${port}`,
    port,
    server,
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** `authority`, `server` or `server-key`: made for these tests alone. */
export function pem(name: string): string {
  return fileURLToPath(new URL(`./tls/${name}.pem`, import.meta.url));
}

export function open(url: string, changes: Partial<HttpSettings> = {}): HttpClient {
  return openHttp({
    url,
    userAgent: "svcsync-test/1",
    connectTimeoutMs: 5000,
    answerTimeoutMs: 10_000,
    callTimeoutMs: 20_000,
    responseLimitBytes: 1_000_000,
    connections: 4,
    ...changes,
  });
}

/** What a call was rejected with. */
export async function thrownBy(call: Promise<unknown>): Promise<unknown> {
  try {
    await call;
  } catch (thrown) {
    return thrown;
  }
  throw new Error("nothing was thrown");
}
