import { isLoopback, WaitError, type Json } from "#model";
import { openHttp, repeating, type HttpAnswer, type HttpClient, type HttpRequest, type RepeatPolicy } from "#http";
import type { OpenContext } from "../../adapter.ts";
import { jsonOf } from "./json-answer.ts";
import { parseLossless } from "./lossless-json.ts";
import { openLogin, type Login, type LoginMaker } from "./login.ts";
import { ServerClock } from "./server-clock.ts";
import { exchangeError, statusError } from "./web-errors.ts";
import type { WebSettings } from "./web-settings.ts";

const CONNECT_TIMEOUT_MS = 15_000;
const MEGABYTE = 1024 * 1024;
/** A session that worked for this long was allowed to read what it asked for. */
const SETTLED_MS = 60_000;
/** Retries of reads, which do no harm: a connection that breaks in the middle of a page should not end the poll. */
const READS: RepeatPolicy = { attempts: 3, baseMs: 250, maxMs: 4_000 };
/** Retries with an ERP that limits requests. Most count them per minute. */
const COUNTED: RepeatPolicy = { ...READS, attempts: 6, waitMs: 120_000 };

export interface WebRequest {
  readonly method?: "GET" | "POST";
  /** Absolute, or below the source's `url`. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  /** Whether an answer means "nothing here" instead of an error. {@link WebClient.json} then resolves to undefined. */
  readonly absent?: (answer: HttpAnswer) => boolean;
  /** Whether an answer means "try again" although its status says otherwise. */
  readonly transient?: (answer: HttpAnswer) => boolean;
  /** Checks a success again, for systems that report errors in a 200. Throws if it is an error. */
  readonly judge?: (answer: Json) => void;
}

export type WebContext = Pick<OpenContext, "clock" | "hide">;

/** Reads JSON from one ERP: logs in, retries after broken connections, and turns every failure into an E_SOURCE_… error. */
export class WebClient implements AsyncDisposable {
  readonly serverClock: ServerClock;
  readonly #settings: WebSettings;
  readonly #http: HttpClient;
  /** Calls the token endpoint if it is on another host: neither host sees the other's credentials. */
  readonly #loginHttp: HttpClient;
  readonly #login: Login;
  /** Whether the last request was answered. If so, a request that is refused now is in the middle of a read. */
  #isServed = false;
  /** The session that was begun because of a 403 and was answered 403, too: this user may not read something. */
  #forbidden: Readonly<Record<string, string>> | undefined;

  constructor(settings: WebSettings, { clock, hide = () => {} }: WebContext, makeLogin: LoginMaker = openLogin) {
    this.#settings = settings;
    this.serverClock = new ServerClock(clock);
    const { auth } = settings;
    this.#http = openAt(settings.url, settings);
    this.#loginHttp = auth.kind === "oauth" ? openAt(auth.tokenUrl, settings) : this.#http;
    this.#login = makeLogin(auth, { baseUrl: withSlash(settings.url), http: this.#loginHttp, clock, hide });
  }

  /** The host that is called without encryption; undefined for this machine, or with https. */
  get plainHost(): string | undefined {
    const { protocol, hostname } = new URL(this.#settings.url);
    return protocol === "http:" && !isLoopback(hostname) ? hostname : undefined;
  }

  /** Returns an address below the source's `url`. An absolute address stays as it is. */
  address(path: string): string {
    return new URL(path, withSlash(this.#settings.url)).href;
  }

  /**
   * Returns the answer's JSON with numbers unrounded; undefined when `absent` accepts the answer.
   * @throws {RetryError} E_SOURCE_UNREACHABLE, E_SOURCE_FAILED, E_SOURCE_ANSWER · {WaitError} E_SOURCE_BUSY
   * @throws {ParkError} E_SOURCE_LOGIN, E_SOURCE_FORBIDDEN, E_SOURCE_NOT_FOUND, E_SOURCE_REQUEST, E_SOURCE_ORIGIN,
   * E_SOURCE_ENCODING, E_SOURCE_TOO_LARGE
   */
  async json(request: WebRequest, signal: AbortSignal): Promise<Json | undefined> {
    return (await this.exchange(request, signal))?.json;
  }

  /** Like {@link json}, with the answer's headers. */
  async exchange(request: WebRequest, signal: AbortSignal): Promise<{ json: Json; answer: HttpAnswer } | undefined> {
    return this.#repeated(() => this.#once(request, signal), signal);
  }

  /** Returns the answer's text, for documents that are not JSON. */
  async text(request: WebRequest, signal: AbortSignal): Promise<string | undefined> {
    return this.#repeated(async () => textOf(await this.#answer(request, signal)), signal);
  }

  /**
   * Waits in the middle of a read for an ERP that has counted too many requests. Otherwise a sweep, or a list that cannot be
   * continued later, would start over each time and never end.
   */
  async #repeated<Value>(read: () => Promise<Value>, signal: AbortSignal): Promise<Value> {
    const isFinal = (thrown: unknown) => !(this.#isServed && isCounted(thrown));
    try {
      const value = await repeating({ ...COUNTED, isFinal }, () => repeating(READS, read, signal), signal);
      this.#isServed = true;
      return value;
    } catch (thrown) {
      if (thrown instanceof WaitError) this.#isServed = false;
      throw thrown;
    }
  }

  async #once(request: WebRequest, signal: AbortSignal) {
    const answer = await this.#answer(request, signal);
    if (answer === undefined) return undefined;
    const json = await jsonOf(answer, placeOf(request, this.address(request.url)), parseLossless);
    request.judge?.(json);
    return { json, answer };
  }

  async #answer(request: WebRequest, signal: AbortSignal): Promise<HttpAnswer | undefined> {
    const proof = await this.#proof(signal);
    let answer = await this.#call(request, proof, signal);
    if (this.#isEnded(answer, proof)) {
      const renewed = await this.#proof(signal);
      answer = await this.#call(request, renewed, signal);
      if (answer.status === 403) this.#forbidden = renewed;
    }
    if (request.absent?.(answer)) return undefined;
    if (!answer.ok) {
      const place = placeOf(request, this.address(request.url));
      const passing = request.transient?.(answer) ?? false;
      throw statusError(answer, place, this.serverClock.now(), this.#login.secrets, passing);
    }
    return answer;
  }

  /**
   * Whether a session has ended that can be begun again. Some APIs show that by 403; those with cookies also by a redirect to their login
   * page or by that page itself. Right after a login these answers mean something else, and so does 403 if a new token was no better.
   */
  #isEnded(answer: HttpAnswer, proof: Readonly<Record<string, string>>): boolean {
    const { kind } = this.#settings.auth;
    if (answer.status === 401) return this.#login.forget(proof);
    if (answer.status === 403)
      return this.#login.forget(proof, kind === "oauth" && proof !== this.#forbidden ? 0 : SETTLED_MS);
    if (kind !== "login") return false;
    const isPage = answer.ok && /^<(!doctype|html)/i.test(answer.excerpt);
    const isElsewhere = answer.status >= 300 && answer.status < 400;
    return (isPage || isElsewhere) && this.#login.forget(proof, SETTLED_MS);
  }

  async #proof(signal: AbortSignal): Promise<Readonly<Record<string, string>>> {
    try {
      return await this.#login.headers(signal);
    } catch (thrown) {
      // The failed login may have locked the user out.
      this.#isServed = false;
      throw exchangeError(thrown);
    }
  }

  async #call(request: WebRequest, proof: Readonly<Record<string, string>>, signal: AbortSignal): Promise<HttpAnswer> {
    try {
      const headers = { accept: "application/json", ...this.#settings.headers, ...proof, ...request.headers };
      const call: HttpRequest = { method: request.method ?? "GET", url: this.address(request.url), headers, signal };
      const answer = await this.#http.call(request.json === undefined ? call : { ...call, json: request.json });
      this.serverClock.observe(answer.headers.date);
      return answer;
    } catch (thrown) {
      throw exchangeError(thrown);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#http[Symbol.dispose]();
    this.#loginHttp[Symbol.dispose]();
  }
}

function isCounted(thrown: unknown): boolean {
  return thrown instanceof WaitError && thrown.details["status"] === 429;
}

function openAt(url: string, settings: WebSettings): HttpClient {
  return openHttp({
    url,
    userAgent: "svcsync",
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    answerTimeoutMs: settings.timeout,
    callTimeoutMs: settings.timeout,
    responseLimitBytes: settings.answerLimitMb * MEGABYTE,
    connections: settings.connections,
    caFile: settings.caFile,
    proxy: settings.proxy === undefined ? undefined : { url: settings.proxy, except: [] },
    cookies: settings.auth.kind === "login",
  });
}

/** @throws {ParkError} E_SOURCE_ENCODING */
function textOf(answer: HttpAnswer | undefined): string | undefined {
  try {
    return answer?.text();
  } catch (thrown) {
    throw exchangeError(thrown);
  }
}

/** Returns method and address, without the query, which may hold a key. */
function placeOf(request: WebRequest, url: string): string {
  return `${request.method ?? "GET"} ${url.split("?", 1)[0]}`;
}

function withSlash(url: string): string {
  return url.endsWith("/") ? url : `${url}/`;
}
