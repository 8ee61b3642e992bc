import type { IncomingHttpHeaders } from "node:http";
import { isJsonObject, systemClock, type Clock, type Json, type JsonObject } from "#model";
import { DEFAULT_ACCOUNT } from "#sandbox";
import { openService, type ReferenceCache, type Service, type ServiceContext } from "#service";
import type { ServiceDialect, Secrets, Settings } from "#settings";
import { startWebServer, type Asked, type Told } from "../kit/http.ts";
import { memoryLogger, type LogLine } from "../kit/logger.ts";

/** A request as the stand-in saw it. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Json | undefined;
  readonly authorization: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

export interface Reply {
  readonly status?: number;
  readonly json?: Json;
  readonly text?: string | Buffer;
  readonly headers?: Record<string, string>;
  /** Cuts the connection instead of answering. */
  readonly cut?: boolean;
}

export interface StandIn extends AsyncDisposable {
  readonly url: string;
  readonly seen: Seen[];
}

/** A server of one test: it answers what `answer` says and fails the request when it has nothing to say. */
export async function standIn(answer: (request: Seen) => Reply | Promise<Reply> | undefined): Promise<StandIn> {
  const seen: Seen[] = [];
  const server = await startWebServer(async (asked) => {
    const received = seenOf(asked);
    seen.push(received);
    const reply = await answer(received);
    if (reply === undefined) throw new Error(`${asked.method} ${asked.path}`);
    return toldOf(reply);
  });
  return { url: server.url, seen, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

function seenOf({ body, headers, ...asked }: Asked): Seen {
  return { ...asked, headers, body: body === "" ? undefined : JSON.parse(body), authorization: headers.authorization };
}

function toldOf({ status = 200, json, text = "", headers, cut = false }: Reply): Told {
  const type = json === undefined ? "text/plain" : "application/json";
  return {
    status,
    headers: { "content-type": type, ...headers },
    body: json === undefined ? text : JSON.stringify(json),
    ...(cut && { cut: "unanswered" }),
  };
}

export const dialect: ServiceDialect = {
  brand: "svc",
  listWrapper: "resource",
  listKeys: {},
  paging: { kind: "offset", parameter: "offset" },
  pageSize: 50,
  sort: { parameter: "sortings", value: "id asc" },
  totalKey: "totalCount",
  recordPath: "{resource}/{id}",
  createAnswer: "record",
  arrayUpdate: "object",
  paths: {},
};

/** The login of the sandbox's account. */
export const passwordLogin = {
  kind: "password",
  username: DEFAULT_ACCOUNT.username,
  lifeTimeMinutes: 60,
  lifeTimeRefresh: true,
  tokenName: "svcsync",
} as const;

export function serviceSettings(url: string, changes: Partial<Settings["service"]> = {}): Settings["service"] {
  return {
    url,
    formerUrl: undefined,
    login: { kind: "token" },
    dialect,
    connectTimeoutMs: 5000,
    answerTimeoutMs: 20_000,
    callTimeoutMs: 20_000,
    concurrency: 8,
    responseLimitBytes: 10_000_000,
    caFile: undefined,
    proxy: undefined,
    referenceMaxAgeMs: 900_000,
    matchMaxAgeMs: 900_000,
    ...changes,
  };
}

export const secrets: Secrets = {
  serviceToken: "static-token",
  servicePassword: "right-password",
  serviceCode: undefined,
  queueUrl: undefined,
  storeUrl: undefined,
};

export interface Opened extends AsyncDisposable {
  readonly service: Service;
  readonly log: LogLine[];
  readonly cache: Map<string, { readAt: number; entries: Json }>;
}

/** A client with a log and a cache that a test can look into. */
export function open(
  url: string,
  changes: Partial<Settings["service"]> = {},
  context: Partial<ServiceContext> & { secrets?: Secrets } = {},
): Opened {
  const clock: Clock = context.clock ?? systemClock;
  const logger = memoryLogger();
  const cache: Opened["cache"] = new Map();
  const referenceCache: ReferenceCache = {
    load: (resource) => Promise.resolve(cache.get(resource)),
    save: (resource, entries) => {
      cache.set(resource, { readAt: clock.now(), entries });
      return Promise.resolve();
    },
  };
  const { secrets: given = secrets, ...more } = context;
  const service = openService(serviceSettings(url, changes), given, {
    clock,
    logger,
    referenceCache,
    ...more,
  });
  return { service, log: logger.lines, cache, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

export function bodyOf(request: Seen | undefined): JsonObject {
  return isJsonObject(request?.body) ? request.body : {};
}
