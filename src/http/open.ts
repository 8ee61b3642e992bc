import { performance } from "node:perf_hooks";
import { got, type Got, type OptionsInit } from "got";
import { openAgents, type Agents } from "./agents.ts";
import { HttpAnswer } from "./answer.ts";
import { Cookies } from "./cookies.ts";
import type { HttpClient, HttpRequest, HttpSettings } from "./client.ts";
import { HttpFailure, httpFailure } from "./failure.ts";
import { allowListeners } from "./listeners.ts";
import { leanRequest } from "./lean-request.ts";
import { bypassesProxy } from "./no-proxy.ts";

/**
 * Opens a client. Disposing it closes its idle connections.
 * @throws {StopError} E_HTTP_CA_FILE when the private authorities cannot be read.
 */
export function openHttp(settings: HttpSettings): HttpClient {
  return new GotClient(settings);
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
      responseType: "buffer",
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
    if (request.signal !== undefined) {
      request.signal.throwIfAborted();
      allowListeners(request.signal);
    }
    const startedAt = performance.now();
    const limit = this.#settings.responseLimitBytes;
    let tooLarge = false;
    const cookie = await this.#cookies?.header(request.url);
    const exchange = this.#got(request.url, this.#options(request, cookie));
    void exchange.on("downloadProgress", ({ transferred, total }) => {
      if (transferred <= limit && (total ?? 0) <= limit) return;
      tooLarge = true;
      exchange.cancel();
    });
    try {
      const { statusCode, headers, rawBody } = await exchange;
      await this.#cookies?.keep(request.url, headers);
      return new HttpAnswer(statusCode, headers, rawBody, performance.now() - startedAt, place(request));
    } catch (thrown) {
      if (request.signal?.aborted) throw request.signal.reason;
      if (tooLarge)
        throw new HttpFailure("too-large", `${place(request)}: the answer is larger than ${limit} bytes`, {
          outcomeUnknown: true,
        });
      throw httpFailure(thrown, place(request));
    }
  }

  [Symbol.dispose](): void {
    for (const agents of [this.#direct, this.#proxied]) {
      agents?.http.destroy();
      agents?.https.destroy();
    }
  }

  #options(
    request: HttpRequest,
    cookie: string | undefined,
  ): OptionsInit & { isStream?: false; responseType: "buffer" } {
    const options: OptionsInit & { isStream?: false; responseType: "buffer" } = {
      method: request.method,
      responseType: "buffer",
    };
    if (request.headers !== undefined) options.headers = { ...request.headers };
    if (cookie !== undefined) options.headers = { ...options.headers, cookie };
    if (request.json !== undefined) options.json = request.json;
    if (request.form !== undefined) options.form = request.form;
    if (request.body !== undefined) options.body = request.body;
    if (request.signal !== undefined) options.signal = request.signal;
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

/** Method and address for messages, without query and credentials. */
function place({ method, url }: HttpRequest): string {
  const bare = url.split(/[?#]/, 1)[0] ?? "";
  return `${method} ${bare.replace(/\/\/[^/@]*@/, "//")}`;
}
