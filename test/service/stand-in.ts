import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { isJsonObject, systemClock, type Clock, type Json, type JsonObject } from "#model";
import { openService, type ReferenceCache, type Service, type ServiceContext } from "#service";
import type { Dialect, Secrets, Settings } from "#settings";
import type { LogFields, Logger } from "#telemetry";
import { listen } from "../setup/listen.ts";

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
  readonly text?: string;
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
  const surprise = ({ method, path }: Seen): Reply => ({ status: 599, text: `surprise: ${method} ${path}` });
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const received = await receive(request);
    seen.push(received);
    reply(response, (await answer(received)) ?? surprise(received));
  };
  const server = createServer((request, response) => void serve(request, response));
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function receive(request: IncomingMessage): Promise<Seen> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const text = Buffer.concat(chunks).toString();
  const url = new URL(request.url ?? "/", "http://stand-in");
  const body: Json | undefined = text === "" ? undefined : JSON.parse(text);
  const { method = "", headers } = request;
  return {
    method,
    path: url.pathname,
    query: url.searchParams,
    body,
    authorization: headers.authorization,
    headers,
  };
}

function reply(response: ServerResponse, { status = 200, json, text, headers = {}, cut }: Reply): void {
  if (cut) {
    response.destroy();
    return;
  }
  response.writeHead(status, { "content-type": json === undefined ? "text/plain" : "application/json", ...headers });
  response.end(json === undefined ? text : JSON.stringify(json));
}

export const dialect: Dialect = {
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

export function serviceSettings(url: string, changes: Partial<Settings["service"]> = {}): Settings["service"] {
  return {
    url,
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
};

export interface Opened extends AsyncDisposable {
  readonly service: Service;
  readonly log: { level: string; message: string; fields: LogFields }[];
  readonly cache: Map<string, { readAt: number; entries: Json }>;
}

/** A client with a log and a cache that a test can look into. */
export function open(
  url: string,
  changes: Partial<Settings["service"]> = {},
  context: Partial<ServiceContext> & { secrets?: Secrets } = {},
): Opened {
  const clock: Clock = context.clock ?? systemClock;
  const log: Opened["log"] = [];
  const cache: Opened["cache"] = new Map();
  const referenceCache: ReferenceCache = {
    load: (resource) => Promise.resolve(cache.get(resource)),
    save: (resource, entries) => {
      cache.set(resource, { readAt: clock.now(), entries });
      return Promise.resolve();
    },
  };
  const service = openService(serviceSettings(url, changes), context.secrets ?? secrets, {
    clock,
    logger: context.logger ?? recorder(log),
    referenceCache,
    ...(context.breaker === undefined ? {} : { breaker: context.breaker }),
    ...(context.hide === undefined ? {} : { hide: context.hide }),
    ...(context.version === undefined ? {} : { version: context.version }),
  });
  return { service, log, cache, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

function recorder(log: Opened["log"]): Logger {
  const at = (level: string) => (fields: LogFields, message: string) => void log.push({ level, message, fields });
  const logger: Logger = {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: () => logger,
  };
  return logger;
}

export const never = new AbortController().signal;

/** What a promise was rejected with. */
export async function thrownBy(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (thrown) {
    return thrown;
  }
  throw new Error("nothing was thrown");
}

export function bodyOf(request: Seen | undefined): JsonObject {
  return isJsonObject(request?.body) ? request.body : {};
}
