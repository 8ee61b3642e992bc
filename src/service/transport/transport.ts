import {
  errorFacts,
  RetryError,
  WaitError,
  type Clock,
  type ErrorCode,
  type Json,
  type JsonObject,
  type ResourceName,
  type SyncError,
} from "#model";
import { repeating, type HttpAnswer, type HttpClient, type RepeatPolicy } from "#http";
import type { Logger } from "#telemetry";
import type { Brand } from "../dialect/brand.ts";
import type { Breaker } from "./breaker.ts";
import { answerError, askedPauseMs, failedExchange, isFailure, ServiceRefusal } from "./failures.ts";
import type { AdaptiveLimit, Load } from "./limit.ts";
import type { Pace } from "./pace.ts";
import type { Turn } from "./rate.ts";
import type { ServiceClock } from "./server-clock.ts";
import type { ServiceSession } from "./session.ts";

export interface ServiceCall {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** For limits, logs and messages. */
  readonly resource: ResourceName;
  /** Without the query; names are already spelled as on the wire. */
  readonly url: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: JsonObject | readonly JsonObject[];
  /**
   * `never`: a repeat could do harm. `quick`: a few times, then the caller retries. `patient`: through busy answers and
   * short outages too, for calls that would otherwise start over.
   */
  readonly repeat: "never" | "quick" | "patient";
  /**
   * The requested record is known to exist, so a refusal means that the service, or something in front of it, does not
   * work.
   */
  readonly isKnown?: boolean;
  /** It gives way to requests that do not. */
  readonly behind?: boolean;
  readonly signal: AbortSignal;
}

/** A 2xx answer with its body read and its names translated. */
export interface Exchange {
  readonly status: number;
  readonly headers: HttpAnswer["headers"];
  readonly body: Json | undefined;
  readonly durationMs: number;
}

const POLICIES: Readonly<Record<"quick" | "patient", RepeatPolicy>> = {
  quick: { attempts: 3, baseMs: 200, maxMs: 2000 },
  // Reads without a share of the requests may be what the processes with a share wait for.
  patient: {
    attempts: 6,
    baseMs: 500,
    maxMs: 10_000,
    waitMs: 60_000,
    isFinal: (thrown) => isWait(thrown, "E_REPLICA_SHARE"),
  },
};

/** Consecutive 401 answers that one call may get, as others may use up tokens too. Then it queues again. */
const REPLAYS = 6;
const UNAUTHORIZED_PAUSE_MS = 2000;
/** The renewal of the store's lease runs at this interval. */
const UNCONFIRMED_PAUSE_MS = 2000;
/** How often a request that was refused as one too many is sent again here once the pause is over. */
const BUSY_REPEATS = 3;

/** A request that was answered, or that ended without an answer (`status` undefined). */
export interface RequestFacts {
  readonly resource: ResourceName;
  readonly method: string;
  readonly status: number | undefined;
  readonly durationMs: number;
  /** With its query, as sent. */
  readonly url: string;
  readonly body: ServiceCall["body"];
  readonly answer: HttpAnswer | undefined;
  /** Why there was no answer. */
  readonly failure: string | undefined;
}

interface TransportDeps {
  readonly http: HttpClient;
  readonly session: ServiceSession;
  readonly limit: AdaptiveLimit;
  readonly pace: Pace;
  readonly breaker: Breaker;
  readonly brand: Brand;
  readonly clock: Clock;
  readonly serverClock: ServiceClock;
  readonly logger: Logger;
  /** Called for every request, for metrics. */
  readonly requested: (request: RequestFacts) => void;
  /**
   * False while another process may be writing the same records: only reads may be sent. Asked before a connection is
   * looked for, and again when it is ready.
   */
  readonly mayWrite: () => boolean;
}

/** Sends calls: all that most rooms need of the transport. */
export type Sender = Pick<Transport, "send">;

/** Sends calls that give way to all others. */
export function behindOthers(transport: Sender): Sender {
  return { send: (call) => transport.send({ ...call, behind: true }) };
}

/**
 * The only way to the service: every call passes the rate limit, the breaker and the session, and ends with an answer or
 * an error of one of the families.
 */
export class Transport {
  readonly #deps: TransportDeps;
  #requests = 0;

  constructor(deps: TransportDeps) {
    this.#deps = deps;
  }

  get requests(): number {
    return this.#requests;
  }

  /**
   * Sends a call.
   * @throws {ServiceRefusal} for answers that a repeat would not change, {@link WaitError} and {@link RetryError}
   * otherwise; the abort reason once the signal is aborted.
   */
  send(call: ServiceCall): Promise<Exchange> {
    if (call.repeat === "never") return this.#once(call);
    return repeating(POLICIES[call.repeat], () => this.#once(call), call.signal);
  }

  async #once(call: ServiceCall): Promise<Exchange> {
    const { limit } = this.#deps;
    call.signal.throwIfAborted();
    const room = limit.enter(call.signal, call);
    if (room !== undefined) await room;
    let load: Load = "unrelated";
    let durationMs = 0;
    try {
      const exchange = await this.#paced(call);
      load = "fine";
      durationMs = exchange.durationMs;
      return exchange;
    } catch (thrown) {
      load = loadOf(thrown);
      throw thrown;
    } finally {
      limit.leave(load, `${call.method} ${call.resource}`, durationMs);
    }
  }

  /** Sends when it is the request's turn, and again after a 429, which means that the request was not carried out. */
  async #paced(call: ServiceCall): Promise<Exchange> {
    const { pace, breaker } = this.#deps;
    let refusal: unknown;
    for (let repeats = 0; ; repeats++) {
      const turn = await pace
        .turn(call.signal, { again: repeats > 0, behind: call.behind === true })
        .catch((thrown: unknown) => {
          // The service's own message says more.
          throw isWait(thrown, "E_SERVICE_BUSY") ? (refusal ?? thrown) : thrown;
        });
      try {
        return await breaker.run(() => this.#authorised(call, turn));
      } catch (thrown) {
        if (!isWait(thrown, "E_SERVICE_BUSY") || repeats === BUSY_REPEATS) throw thrown;
        refusal = thrown;
      } finally {
        pace.unsent(turn);
      }
    }
  }

  /** Sends with a token, and again with a new one after a 401, which means that the request was not carried out. */
  async #authorised(call: ServiceCall, first: Turn): Promise<Exchange> {
    const { session, clock, pace } = this.#deps;
    const write = call.method !== "GET";
    for (let replays = 0; replays <= REPLAYS; replays++) {
      const token = await session.token();
      const turn = replays === 0 ? first : await pace.turn(call.signal, { again: true, behind: call.behind === true });
      const answer = await this.#exchange(call, turn, token.header, write).finally(() => pace.unsent(turn));
      if (answer.status === 401) {
        await session.refused(token, replays === 0);
        continue;
      }
      session.served(token);
      const body = answer.ok ? await this.#body(answer, write) : undefined;
      if (!answer.ok || isFailure(body)) throw this.#error(call, answerError(answer, write, clock.now()));
      const { status, headers, durationMs } = answer;
      return { status, headers, body, durationMs };
    }
    throw new WaitError(
      "E_SERVICE_UNAUTHORIZED",
      `${call.method} ${call.resource} got 401 for ${REPLAYS + 1} tokens in a row`,
      {
        afterMs: UNAUTHORIZED_PAUSE_MS,
        details: { resource: call.resource },
      },
    );
  }

  #error({ isKnown, resource }: ServiceCall, error: SyncError): SyncError {
    if (!isKnown || !(error instanceof ServiceRefusal)) return error;
    const { message, details } = error;
    return new RetryError("E_SERVICE_DOUBTED", message, { cause: error, details: { ...details, resource } });
  }

  async #exchange(call: ServiceCall, turn: Turn, authorization: string, write: boolean): Promise<HttpAnswer> {
    const mayGo = () => {
      if (!this.#deps.mayWrite()) throw notOurs(call);
    };
    if (write) mayGo();
    this.#requests++;
    const { http, pace, clock, serverClock } = this.#deps;
    const startedAt = performance.now();
    const url = address(call);
    try {
      const answer = await http.call({
        method: call.method,
        url,
        headers: { accept: "application/json", authorization },
        json: call.body,
        ...(write ? { mayGo } : {}),
        signal: call.signal,
      });
      if (answer.status === 429) pace.refused(turn, askedPauseMs(answer, clock.now()));
      else pace.passed(turn);
      serverClock.hear(answer.headers.date);
      this.#report(call, { url, status: answer.status, answer, durationMs: answer.durationMs, failure: undefined });
      return answer;
    } catch (thrown) {
      pace.lost(turn);
      const durationMs = performance.now() - startedAt;
      const { message: failure } = errorFacts(thrown);
      this.#report(call, { url, status: undefined, answer: undefined, durationMs, failure });
      throw failedExchange(thrown, write);
    }
  }

  #report({ method, resource, body }: ServiceCall, end: Omit<RequestFacts, "method" | "resource" | "body">): void {
    const { requested, logger } = this.#deps;
    const { status, durationMs } = end;
    requested({ method, resource, body, ...end });
    if (status !== undefined)
      logger.debug({ method, resource, status, durationMs: Math.round(durationMs) }, "service answered");
  }

  async #body(answer: HttpAnswer, write: boolean): Promise<Json | undefined> {
    try {
      return await answer.json((text) => this.#deps.brand.decode(JSON.parse(text)));
    } catch (thrown) {
      throw failedExchange(thrown, write);
    }
  }
}

function address({ url, query }: ServiceCall): string {
  if (query === undefined) return url;
  const parts = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  // The path of one record may contain a query itself.
  return parts.length === 0 ? url : `${url}${url.includes("?") ? "&" : "?"}${parts.join("&")}`;
}

/** The error for a write that was withheld: nothing was sent. */
function notOurs({ method, resource }: ServiceCall): WaitError {
  return new WaitError(
    "E_STORE_UNREACHABLE",
    `${method} ${resource} was not sent: the store has not confirmed for seconds that no other daemon took over`,
    { afterMs: UNCONFIRMED_PAUSE_MS, details: { resource } },
  );
}

function isWait(thrown: unknown, code: ErrorCode): boolean {
  return thrown instanceof WaitError && thrown.code === code;
}

/** How a failure reflects load. Refusals and our own waits do not, and busy answers are handled by the pace. */
function loadOf(thrown: unknown): Load {
  return thrown instanceof RetryError ? "overloaded" : "unrelated";
}
