import { setMaxListeners } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { performance } from "node:perf_hooks";
import { messageOf, errorFacts, sleep, systemClock, type Json } from "#model";
import type { Logger } from "#telemetry";
import type { Account } from "../account.ts";
import { RequestRefusal, refusalAnswer, UNAUTHORIZED, type ApiResponse } from "../api/answer.ts";
import type { Api } from "../api/api.ts";
import { Router, type Route } from "../api/route.ts";
import type { ApiSessions } from "../api/sessions.ts";
import type { Tenant } from "../api/tenant.ts";
import {
  brokenJson,
  emptyList,
  futureStamp,
  gateway404,
  oddId,
  redirect,
  serverError,
  tooManyRequests,
} from "../faults/bad-answers.ts";
import { disturbance, type Disturbance } from "../faults/disturbance.ts";
import type { Fault, FaultOf } from "../faults/fault.ts";
import type { Faults } from "../faults/faults.ts";
import type { Ledger } from "../ledger.ts";
import type { People } from "../people.ts";
import { closeServer } from "./listening.ts";
import { seededRandom } from "../random.ts";
import { readBody, send, sendHalf, sendSlowly } from "./transport.ts";

const DEFAULT_COMMIT_DELAY_MS = 50;
/** Longer than clients keep idle connections, so that clients close them first. */
const KEEP_ALIVE_MS = 65_000;

/** A request while it is being answered. */
interface Exchange {
  readonly number: number;
  readonly startedAt: number;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly method: string;
  readonly url: string;
  readonly query: URLSearchParams | undefined;
  readonly route: Route | undefined;
  readonly body: Buffer | undefined;
  disturbed: Disturbance | undefined;
  /** The account at the time when the token was checked, if a fault delays the work after that. */
  account: Account | undefined;
  username: string | undefined;
}

interface FrontendDeps {
  readonly tenant: Tenant;
  readonly api: Api;
  readonly people: People;
  readonly sessions: ApiSessions;
  readonly faults: Faults;
  readonly ledger: Ledger;
  readonly logger: Logger | undefined;
}

/** The service's HTTP side: reads requests, applies faults, sends answers, writes the ledger. */
export class HttpFrontend {
  readonly server: Server;
  readonly #deps: FrontendDeps;
  readonly #router: Router;
  readonly #jitter = seededRandom(1);
  readonly #stopping = new AbortController();

  constructor(deps: FrontendDeps) {
    this.#deps = deps;
    this.#router = new Router(deps.tenant.catalogue, deps.tenant.switches.recordPath);
    // Every request that a fault delays listens for the end.
    setMaxListeners(0, this.#stopping.signal);
    this.server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: 0 }, (request, response) => {
      readBody(request, response, (body) => this.#receive(request, response, body));
    });
  }

  /** Accepts no more requests and cuts those in flight; requests that a fault delays are then never carried out. */
  stop(): Promise<void> {
    this.#stopping.abort();
    return closeServer(this.server);
  }

  #receive(request: IncomingMessage, response: ServerResponse, body: Buffer | undefined): void {
    const url = request.url ?? "/";
    const at = url.indexOf("?");
    const exchange: Exchange = {
      number: this.#deps.ledger.nextNumber(),
      startedAt: performance.now(),
      request,
      response,
      method: request.method ?? "GET",
      url,
      query: at < 0 ? undefined : new URLSearchParams(url.slice(at + 1)),
      route: this.#router.find(at < 0 ? url : url.slice(0, at), at < 0 ? "" : url.slice(at)),
      body,
      disturbed: undefined,
      account: undefined,
      username: undefined,
    };
    if (this.#deps.faults.none) return this.#finish(exchange, this.#answer(exchange));
    this.#disturb(exchange).catch((error: unknown) => {
      if (this.#stopping.signal.aborted) return;
      this.#deps.logger?.error({ err: errorFacts(error) }, "sandbox request failed");
      response.destroy();
    });
  }

  /** Applies faults only to authenticated requests, so that a revoked token costs one hit, not many. */
  async #disturb(exchange: Exchange): Promise<void> {
    const { route, method, url } = exchange;
    const struck = this.#known(exchange) ? this.#draw(route, method, url) : [];
    if (struck.length === 0) return this.#finish(exchange, this.#answer(exchange));
    const disturbed = disturbance(struck, this.#jitter);
    exchange.disturbed = disturbed;
    if (disturbed.delayBeforeMs > 0) await this.#pause(disturbed.delayBeforeMs);
    if (disturbed.revoke) this.#deps.sessions.revoke();
    if (disturbed.vanish) this.#vanish(route);
    const { final } = disturbed;
    if (final?.kind === "tooMany" || final?.kind === "rateLimit" || final?.kind === "quota")
      return this.#finish(exchange, tooManyRequests(final, this.#deps.tenant.clock.now()));
    if (final?.kind === "gateway404") return this.#finish(exchange, gateway404(final));
    if (final?.kind === "serverError") return this.#failing(exchange, final, serverError(final));
    if (final?.kind === "redirect") return this.#failing(exchange, { when: "after", ...final }, redirect(final));
    if (final?.kind === "cut") return this.#cut(exchange, final);
    if (disturbed.delayDuringMs > 0) {
      exchange.account = this.#account(exchange);
      await this.#pause(disturbed.delayDuringMs);
    }
    const answer = this.#answer(exchange);
    if (disturbed.changeLine !== undefined) this.#changeLine(route, disturbed.changeLine);
    if (disturbed.delayAfterMs > 0) await this.#pause(disturbed.delayAfterMs);
    const shown = this.#retouched(answer, disturbed);
    if (disturbed.slowBodyMs === 0) return this.#finish(exchange, shown);
    await sendSlowly(exchange.response, shown, this.#date(), disturbed.slowBodyMs);
    this.#note(exchange, shown.status, shown.error);
  }

  #draw(route: Route | undefined, method: string, url: string): Fault[] {
    const isList = method === "GET" && route?.kind === "collection";
    return this.#deps.faults.draw({ resource: named(route), method, url, isList });
  }

  /** A refusal stays unchanged, because it shows no record. */
  #retouched(answer: ApiResponse, { final, retouches }: Disturbance): ApiResponse {
    if (answer.status >= 400) return answer;
    let shown = answer;
    for (const retouch of retouches)
      shown =
        retouch.kind === "oddId" ? oddId(retouch, shown) : futureStamp(retouch, shown, this.#deps.tenant.clock.now());
    if (final?.kind === "emptyList") return emptyList(final, shown);
    return final?.kind === "brokenJson" ? brokenJson(shown) : shown;
  }

  async #failing(
    exchange: Exchange,
    fault: Pick<FaultOf<"serverError">, "when" | "commitDelayMs">,
    bad: ApiResponse,
  ): Promise<void> {
    if (fault.when === "after") this.#answer(exchange);
    const delayAfterMs = exchange.disturbed?.delayAfterMs ?? 0;
    if (delayAfterMs > 0) await this.#pause(delayAfterMs);
    this.#finish(exchange, bad);
    if (fault.when === "during") await this.#commitLater(exchange, fault.commitDelayMs);
  }

  async #cut(exchange: Exchange, fault: FaultOf<"cut">): Promise<void> {
    const { response } = exchange;
    if (fault.when === "midBody") {
      await sendHalf(response, this.#answer(exchange), this.#date());
      return this.#note(exchange, 0, "cut in the middle of the body");
    }
    if (fault.when === "after") this.#answer(exchange);
    response.socket?.destroy();
    this.#note(exchange, 0, `cut ${fault.when} the commit`);
    if (fault.when === "during") await this.#commitLater(exchange, fault.commitDelayMs);
  }

  /** The client has already received the failure; the request is carried out nevertheless. */
  async #commitLater(exchange: Exchange, delayMs = DEFAULT_COMMIT_DELAY_MS): Promise<void> {
    await this.#pause(delayMs);
    this.#answer(exchange);
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, this.#stopping.signal);
    this.#stopping.signal.throwIfAborted();
  }

  #answer(exchange: Exchange): ApiResponse {
    try {
      return this.#carryOut(exchange);
    } catch (error) {
      if (error instanceof RequestRefusal) return refusalAnswer(error.status, error.message);
      this.#deps.logger?.error({ err: errorFacts(error) }, "sandbox request failed");
      return refusalAnswer(500, `the sandbox failed: ${messageOf(error)}`);
    }
  }

  #carryOut(exchange: Exchange): ApiResponse {
    const { method, route, query, request, body, number, disturbed } = exchange;
    const { sessions, api } = this.#deps;
    if (route?.kind === "login")
      return method === "POST" ? sessions.login(parse(request, body) ?? null) : refusalAnswer(405, "login wants POST");
    const account = exchange.account ?? this.#account(exchange);
    if (account === undefined) return UNAUTHORIZED;
    exchange.username = account.username;
    if (route === undefined) return refusalAnswer(404, "there is nothing at this path");
    if (route.kind === "logout")
      return method === "POST"
        ? sessions.logout(request.headers.authorization)
        : refusalAnswer(405, "logout wants POST");
    const caller = { account, request: number, listLagMs: disturbed?.listLagMs ?? 0 };
    return api.answer({ method, route, query, body: parse(request, body), caller });
  }

  #known(exchange: Exchange): boolean {
    return exchange.route?.kind === "login" || this.#account(exchange) !== undefined;
  }

  #account({ request }: Exchange): Account | undefined {
    return this.#deps.sessions.account(request.headers.authorization);
  }

  #vanish(route: Route | undefined): void {
    if (route?.kind === "record") this.#deps.tenant.database.vanish(route.resource.name, route.id);
  }

  /** The report is the record that was read, or the one above the list. */
  #changeLine(route: Route | undefined, change: "edit" | "add" | "remove"): void {
    if (route?.kind !== "record" && route?.kind !== "collection") return;
    const above = route.parents[0] ?? (route.kind === "record" ? route : undefined);
    if (above !== undefined) this.#deps.people.changeLine(above.resource.name, above.id, change);
  }

  #finish(exchange: Exchange, answer: ApiResponse): void {
    send(exchange.response, answer, this.#date());
    this.#note(exchange, answer.status, answer.error);
  }

  #note(exchange: Exchange, status: number, error?: string): void {
    const { number, startedAt, method, url, route, username, disturbed } = exchange;
    const { ledger, tenant } = this.#deps;
    ledger.add({
      number,
      at: tenant.clock.now(),
      method,
      url,
      resource: named(route),
      username,
      status,
      durationMs: performance.now() - startedAt,
      error,
      faults: disturbed?.kinds,
    });
  }

  /** If the sandbox has its own clock, its answers carry that clock's date. */
  #date(): string | undefined {
    const { clock } = this.#deps.tenant;
    return clock === systemClock ? undefined : new Date(clock.now()).toUTCString();
  }
}

function named(route: Route | undefined): string | undefined {
  if (route === undefined) return undefined;
  return "resource" in route ? route.resource.name : route.kind;
}

function parse(request: IncomingMessage, body: Buffer | undefined): Json | undefined {
  if (body === undefined || body.length === 0) return undefined;
  if (!/^application\/json\s*(;|$)/i.test(request.headers["content-type"] ?? ""))
    throw new RequestRefusal(415, "the body must be application/json");
  try {
    const value: Json = JSON.parse(body.toString("utf8"));
    return value;
  } catch {
    throw new RequestRefusal(400, "invalid json data");
  }
}
