import type { IncomingHttpHeaders } from "node:http";
import { performance } from "node:perf_hooks";
import got, { type Got, type OptionsInit } from "got";
import type { CookieJar } from "tough-cookie";
import { openAgents, type Agents } from "./agents.ts";
import { HttpAnswer } from "./answer.ts";
import type { HttpClient, HttpRequest, HttpSettings } from "./client.ts";
import { exchange } from "./exchange.ts";
import { HttpFailure } from "./failure.ts";
import { bypassesProxy } from "./no-proxy.ts";
import { Wire } from "./wire.ts";

/**
 * Opens a client. Disposing it closes its idle connections.
 * @throws {StopError} E_HTTP_CA_FILE when the private authorities cannot be read.
 */
export function openHttp(settings: HttpSettings): HttpClient {
  return new GotClient(settings);
}

class GotClient implements HttpClient {
  readonly #settings: HttpSettings;
  readonly #origin: string;
  readonly #got: Got;
  readonly #direct: Agents;
  readonly #proxied: Agents | undefined;
  readonly #cookies: Cookies | undefined;

  constructor(settings: HttpSettings) {
    this.#settings = settings;
    this.#origin = new URL(settings.url).origin;
    this.#direct = openAgents(settings, false);
    this.#proxied = settings.proxy === undefined ? undefined : openAgents(settings, true);
    this.#cookies = settings.cookies ? new Cookies() : undefined;
    this.#got = got.extend({
      agent: { ...this.#direct },
      headers: { "user-agent": settings.userAgent },
      retry: { limit: 0 },
      throwHttpErrors: false,
      methodRewriting: false,
      followRedirect: ({ url, headers, request }) =>
        isRead(request.options.method) && redirectOrigin(headers, url, this.#origin) === this.#origin,
      maxRedirects: 5,
    });
  }

  async call(request: HttpRequest): Promise<HttpAnswer> {
    const { callTimeoutMs, responseLimitBytes } = this.#settings;
    const { signal } = request;
    const startedAt = performance.now();
    const cookie = await this.#cookies?.header(request.url);
    signal?.throwIfAborted();
    const to = new URL(request.url);
    if (to.origin !== this.#origin) throw this.#refused(request, `an address at ${to.origin}`);
    // The address is a URL object, because got would examine each character of a text.
    const wire = this.#wire(request);
    const sent = this.#got.stream(to, {
      ...this.#options(request, cookie),
      request: (url, options) => wire.send(url, options),
    });
    // The wire has the body.
    sent.end();
    const limits = { callTimeoutMs: request.callTimeoutMs ?? callTimeoutMs, responseLimitBytes, signal };
    const { statusCode, headers, bytes, isRedirected } = await exchange(sent, wire, {
      place: place(request),
      ...limits,
    });
    await this.#cookies?.keep(request.url, headers);
    if (isRead(request.method) && statusCode >= 300 && statusCode < 400) {
      const elsewhere = redirectOrigin(headers, request.url, this.#origin);
      if (elsewhere !== this.#origin) throw this.#refused(request, `a redirect to ${elsewhere}`);
    }
    return new HttpAnswer(statusCode, headers, bytes, performance.now() - startedAt, place(request), isRedirected);
  }

  #refused(request: HttpRequest, what: string): HttpFailure {
    const message = `${place(request)}: ${what} is refused, because only ${this.#origin} is trusted with the credentials`;
    return new HttpFailure("origin", message, { outcomeUnknown: false });
  }

  [Symbol.dispose](): void {
    for (const agents of [this.#direct, this.#proxied]) {
      agents?.http.destroy();
      agents?.https.destroy();
    }
  }

  #options(request: HttpRequest, cookie: string | undefined): OptionsInit & { isStream?: true } {
    const options: OptionsInit & { isStream?: true } = { method: request.method };
    const type = contentType(request);
    options.headers = { ...(type && { "content-type": type }), ...request.headers, ...(cookie && { cookie }) };
    if (this.#proxied !== undefined && !bypassesProxy(new URL(request.url), this.#settings.proxy?.except ?? []))
      options.agent = { ...this.#proxied };
    return options;
  }

  #wire(request: HttpRequest): Wire {
    const { connectTimeoutMs, answerTimeoutMs } = this.#settings;
    return new Wire({
      place: place(request),
      body: bodyOf(request),
      connectTimeoutMs,
      answerTimeoutMs: request.callTimeoutMs ?? answerTimeoutMs,
      mayGo: request.mayGo,
    });
  }
}

function bodyOf({ json, form, body }: HttpRequest): string | Buffer | undefined {
  if (json !== undefined) return JSON.stringify(json);
  return form === undefined ? body : new URLSearchParams(form).toString();
}

function contentType({ json, form }: HttpRequest): string | undefined {
  if (json !== undefined) return "application/json";
  return form === undefined ? undefined : "application/x-www-form-urlencoded";
}

function isRead(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

/** Returns the origin to which a redirect leads, or `same` if the header is not an address, which got then reports. */
function redirectOrigin({ location }: IncomingHttpHeaders, from: string, same: string): string {
  return URL.canParse(location ?? "", from) ? new URL(location ?? "", from).origin : same;
}

/** Returns method and address for messages, without query and credentials. */
function place({ method, url }: HttpRequest): string {
  const bare = url.split(/[?#]/, 1)[0] ?? "";
  return `${method} ${bare.replace(/\/\/[^/@]*@/, "//")}`;
}

/**
 * The cookies of one client. Kept outside got, because with got's own jar an answer never resolves when the server sets a cookie
 * (got's issue 2444). Public suffixes are not refused, because servers inside a company may have names without a dot.
 */
class Cookies {
  #opened: Promise<CookieJar> | undefined;

  /** Loaded with the first request, because few clients keep cookies and the jar loads all public suffixes of the internet. */
  get #jar(): Promise<CookieJar> {
    return (this.#opened ??= openJar());
  }

  /** Returns the Cookie header for an address, or undefined when there is nothing to send. */
  async header(url: string): Promise<string | undefined> {
    const text = await (await this.#jar).getCookieString(url);
    return text === "" ? undefined : text;
  }

  /** Keeps the cookies that a server set. Ignores anything that is not a cookie. */
  async keep(url: string, headers: IncomingHttpHeaders): Promise<void> {
    const jar = await this.#jar;
    for (const cookie of headers["set-cookie"] ?? []) await jar.setCookie(cookie, url, { ignoreError: true });
  }
}

async function openJar(): Promise<CookieJar> {
  const { CookieJar } = await import("tough-cookie");
  return new CookieJar(undefined, { rejectPublicSuffixes: false, looseMode: true });
}
