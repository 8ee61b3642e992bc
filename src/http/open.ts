import type { IncomingHttpHeaders } from "node:http";
import { performance } from "node:perf_hooks";
import { got, type Got, type OptionsInit } from "got";
import { onAbort } from "#model";
import { openAgents, type Agents } from "./agents.ts";
import { HttpAnswer } from "./answer.ts";
import { Cookies } from "./cookies.ts";
import type { HttpClient, HttpRequest, HttpSettings } from "./client.ts";
import { HttpFailure, httpFailure } from "./failure.ts";
import { leanRequest } from "./lean-request.ts";
import { bypassesProxy } from "./no-proxy.ts";

/**
 * Opens a client. Disposing it closes its idle connections.
 * @throws {StopError} E_HTTP_CA_FILE when the private authorities cannot be read.
 */
export function openHttp(settings: HttpSettings): HttpClient {
  return new GotClient(settings);
}

interface RawAnswer {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Uint8Array;
}

class GotClient implements HttpClient {
  readonly #settings: HttpSettings;
  readonly #got: Got;
  readonly #direct: Agents;
  readonly #proxied: Agents | undefined;
  readonly #cookies: Cookies | undefined;

  constructor(settings: HttpSettings) {
    this.#settings = settings;
    this.#direct = openAgents(settings, false);
    this.#proxied = settings.proxy === undefined ? undefined : openAgents(settings, true);
    this.#cookies = settings.cookies ? new Cookies() : undefined;
    this.#got = got.extend({
      agent: { ...this.#direct },
      request: leanRequest,
      headers: { "user-agent": settings.userAgent },
      retry: { limit: 0 },
      throwHttpErrors: false,
      methodRewriting: false,
      followRedirect: (answer) => answer.request.options.method === "GET" || answer.request.options.method === "HEAD",
      maxRedirects: 5,
      hooks: {
        beforeRedirect: [
          (next, answer) => {
            if (answer.url.startsWith("https:") && next.url?.toString().startsWith("http:"))
              throw new Error("the server redirected from https to http");
          },
        ],
      },
      timeout: timeouts(settings.connectTimeoutMs, settings.answerTimeoutMs, settings.callTimeoutMs),
    });
  }

  async call(request: HttpRequest): Promise<HttpAnswer> {
    const startedAt = performance.now();
    const cookie = await this.#cookies?.header(request.url);
    const { statusCode, headers, bytes } = await this.#exchange(request, cookie);
    await this.#cookies?.keep(request.url, headers);
    return new HttpAnswer(statusCode, headers, bytes, performance.now() - startedAt, place(request));
  }

  /** Through got's stream: its promise does the same with a third more work per request. */
  #exchange(request: HttpRequest, cookie: string | undefined): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      request.signal?.throwIfAborted();
      const exchange = this.#got.stream(request.url, this.#options(request, cookie));
      const unfollow = request.signal && onAbort(request.signal, () => end(() => reject(request.signal?.reason)));
      const end = (settle: () => void) => {
        unfollow?.();
        settle();
        exchange.destroy();
      };
      const limit = this.#settings.responseLimitBytes;
      const chunks: Buffer[] = [];
      let size = 0;
      exchange.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size > limit) end(() => reject(tooLarge(request, limit)));
      });
      exchange.on("end", () => {
        const { statusCode, headers } = exchange.response!;
        end(() => resolve({ statusCode, headers, bytes: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks) }));
      });
      exchange.on("error", (thrown) => end(() => reject(httpFailure(thrown, place(request)))));
      if (!hasBody(request) && !BODILESS.has(request.method)) exchange.end();
    });
  }

  [Symbol.dispose](): void {
    for (const agents of [this.#direct, this.#proxied]) {
      agents?.http.destroy();
      agents?.https.destroy();
    }
  }

  #options(request: HttpRequest, cookie: string | undefined): OptionsInit & { isStream?: true } {
    const options: OptionsInit & { isStream?: true } = { method: request.method };
    if (request.headers !== undefined) options.headers = { ...request.headers };
    if (cookie !== undefined) options.headers = { ...options.headers, cookie };
    if (request.json !== undefined) options.json = request.json;
    if (request.form !== undefined) options.form = request.form;
    if (request.body !== undefined) options.body = request.body;
    if (request.callTimeoutMs !== undefined)
      options.timeout = timeouts(this.#settings.connectTimeoutMs, request.callTimeoutMs, request.callTimeoutMs);
    if (this.#proxied !== undefined && !bypassesProxy(new URL(request.url), this.#settings.proxy?.except ?? []))
      options.agent = { ...this.#proxied };
    return options;
  }
}

function timeouts(connect: number, response: number, request: number) {
  return { lookup: connect, connect, secureConnect: connect, response, request };
}

/** Requests that got ends by itself although it is given no body. */
const BODILESS = new Set<HttpRequest["method"]>(["GET", "HEAD"]);

function hasBody({ json, form, body }: HttpRequest): boolean {
  return json !== undefined || form !== undefined || body !== undefined;
}

function tooLarge(request: HttpRequest, limit: number): HttpFailure {
  return new HttpFailure("too-large", `${place(request)}: the answer is larger than ${limit} bytes`, {
    outcomeUnknown: true,
  });
}

/** Method and address for messages, without query and credentials. */
function place({ method, url }: HttpRequest): string {
  const bare = url.split(/[?#]/, 1)[0] ?? "";
  return `${method} ${bare.replace(/\/\/[^/@]*@/, "//")}`;
}
