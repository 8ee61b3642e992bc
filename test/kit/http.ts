import { once } from "node:events";
import { readFileSync } from "node:fs";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer as createTlsServer } from "node:https";
import { fileURLToPath } from "node:url";
import type { Json } from "#model";
import { listen } from "../setup/listen.ts";

export interface LocalServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly server: Server;
}

/** A real HTTP server on a free port, for tests that write each answer by hand. Disposing it ends every connection. */
export async function localServer(listener: RequestListener, options: { tls?: boolean } = {}): Promise<LocalServer> {
  const server = options.tls
    ? createTlsServer({ key: readFileSync(pem("server-key")), cert: readFileSync(pem("server")) }, listener)
    : createServer(listener);
  const port = await listen(server);
  return {
    // The certificate is made out to this name.
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

/** `authority`, `server` or `server-key`: made for tests alone. */
export function pem(name: string): string {
  return fileURLToPath(new URL(`./tls/${name}.pem`, import.meta.url));
}

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Told {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Bytes and text are sent as they are, anything else as JSON. */
  readonly body?: Json | string | Buffer;
  /** Ends the connection after half of the body, or instead of an answer. */
  readonly cut?: "midBody" | "unanswered";
}

export interface WebServer extends AsyncDisposable {
  readonly url: string;
  /** Everything that was asked, in order. */
  readonly asked: Asked[];
  /** Answers that are given instead, one per request, before the handler is asked again. */
  readonly instead: Told[];
  /** Ends every connection at once. */
  cut(): void;
}

/** A real HTTP server on a free port that answers what `handler` says, and 599 where it throws. */
export async function startWebServer(handler: (asked: Asked) => Told | Promise<Told>): Promise<WebServer> {
  const asked: Asked[] = [];
  const instead: Told[] = [];
  const exchange = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await readBody(request);
    const url = new URL(request.url ?? "/", "http://local");
    const { method = "GET", headers } = request;
    const question = { method, path: url.pathname, query: url.searchParams, headers, body };
    asked.push(question);
    try {
      send(response, instead.shift() ?? (await handler(question)));
    } catch (thrown) {
      send(response, { status: 599, body: `the test server was surprised: ${String(thrown)}` });
    }
  };
  const local = await localServer((request, response) => void exchange(request, response));
  return {
    url: `http://127.0.0.1:${local.port}`,
    asked,
    instead,
    cut: () => local.server.closeAllConnections(),
    [Symbol.asyncDispose]: () => local[Symbol.asyncDispose](),
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  request.setEncoding("utf8");
  let body = "";
  for await (const chunk of request) body += String(chunk);
  return body;
}

function bytesOf(body: Told["body"]): Buffer {
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === "string" ? body : body === undefined ? "" : JSON.stringify(body));
}

function send(response: ServerResponse, told: Told): void {
  if (told.cut === "unanswered") {
    response.destroy();
    return;
  }
  const bytes = bytesOf(told.body);
  const type = typeof told.body === "string" ? "text/html" : "application/json";
  response.writeHead(told.status ?? 200, {
    "content-type": type,
    "content-length": String(bytes.length),
    ...told.headers,
  });
  if (told.cut === undefined) {
    response.end(bytes);
    return;
  }
  response.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), () => response.destroy());
}
