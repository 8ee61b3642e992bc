import { Agent, createServer, request as send, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import type { Dice } from "../chaos/dice.ts";
import { listen } from "../setup/listen.ts";
import type { Answer, Asked, Scene, Shown } from "./exchange.ts";
import { families, familyNames } from "./mutations/families.ts";
import { refusal } from "./mutations/refusals.ts";

/** A client that is still connected after this gets its end: it should have given up. */
const SILENCE_MS = 20_000;
const SLOW_PIECES = 10;

export interface Crookedness {
  /** How often an answer is wrong, 0 to 1. */
  readonly rate: number;
  readonly families: readonly string[];
}

export interface CrookedProxy extends AsyncDisposable {
  readonly url: string;
  /** How often each family struck. */
  readonly strikes: ReadonlyMap<string, number>;
  /** What was done last, newest last, for people. */
  readonly recent: readonly string[];
  requests: number;
  crookedness: Crookedness;
}

export interface ProxyOptions {
  readonly target: string;
  readonly dice: Dice;
  readonly thiefUrl: string;
  readonly trusted?: readonly string[];
  /** Requests that are never refused. */
  readonly spared?: (asked: Asked) => boolean;
  /** Told of every request. */
  readonly heard?: (asked: Asked) => void;
}

export const honest: Crookedness = { rate: 0, families: [] };
export { familyNames };

/**
 * Stands before a server and makes some of its answers wrong. Which, and how, follows from the seed, the request and how
 * often it was sent before: requests may overtake each other without changing what is drawn for them.
 */
export async function startCrookedProxy(options: ProxyOptions): Promise<CrookedProxy> {
  const { target, dice, thiefUrl } = options;
  const agent = new Agent({ keepAlive: true });
  const ordinals = new Map<string, number>();
  const earlier = new Map<string, Answer>();
  const strikes = new Map<string, number>();
  const recent: string[] = [];
  const trusted = new Set(options.trusted);
  const closing = new AbortController();

  const note = (name: string, { method, url }: Asked) => {
    strikes.set(name, (strikes.get(name) ?? 0) + 1);
    recent.push(`${new Date().toISOString()} ${name} ${method} ${url.slice(0, 150)}`);
    if (recent.length > 200) recent.shift();
  };

  const draw = (asked: Asked): Dice | undefined => {
    const name = `${asked.method} ${asked.url.replaceAll(/\d{4}-\d\d-\d\d[^&]*/g, "<stamp>")}`;
    const ordinal = (ordinals.get(name) ?? 0) + 1;
    ordinals.set(name, ordinal);
    const own = dice.fork(`${name} ${ordinal}`);
    // The first numbers of similar forks are alike.
    own.next();
    return own.chance(proxy.crookedness.rate) ? own : undefined;
  };

  const exchange = async (asked: Asked): Promise<Shown> => {
    const own = draw(asked);
    const path = asked.url.split("?")[0]!;
    const scene: Scene | undefined = own && { asked, dice: own, earlier: earlier.get(path), thiefUrl, trusted };
    if (scene?.dice.chance(0.2) && !options.spared?.(asked)) {
      note("refusal", asked);
      return refusal(scene);
    }
    const answer = await forward(asked, target, agent);
    if (asked.method === "GET" && answer.status === 200 && answer.body.length > 200) earlier.set(path, answer);
    if (scene) {
      const names = Array.from({ length: 4 }, () => scene.dice.pick(proxy.crookedness.families));
      for (const name of names) {
        const wrong = families[name]!(answer, scene);
        if (!wrong) continue;
        note(name, asked);
        return wrong;
      }
    }
    return { kind: "answer", answer };
  };

  const server = createServer((request, response) => {
    proxy.requests += 1;
    read(request)
      .then((asked) => {
        options.heard?.(asked);
        return exchange(asked);
      })
      .then((answer) => show(answer, response, closing.signal))
      .catch(() => response.destroy());
  });
  const port = await listen(server);
  const proxy: CrookedProxy = {
    url: `http://127.0.0.1:${port}`,
    strikes,
    recent,
    requests: 0,
    crookedness: honest,
    async [Symbol.asyncDispose]() {
      closing.abort();
      server.closeAllConnections();
      agent.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}

async function read(request: IncomingMessage): Promise<Asked> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return {
    method: request.method ?? "GET",
    url: request.url ?? "/",
    headers: flat(request.headers),
    body: Buffer.concat(chunks),
  };
}

function flat(headers: IncomingMessage["headers"]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(", ")]));
}

function forward(asked: Asked, target: string, agent: Agent): Promise<Answer> {
  const { method, url, headers, body } = asked;
  const { "transfer-encoding": _chunked, connection: _connection, ...kept } = headers;
  return new Promise((resolve, reject) => {
    const sent = send(
      `${target}${url}`,
      { method, agent, headers: { ...kept, "content-length": body.length } },
      (got) => {
        const chunks: Buffer[] = [];
        got.on("data", (chunk: Buffer) => chunks.push(chunk));
        got.on("error", reject);
        got.on("end", () => {
          const { connection: _hop, "keep-alive": _alive, "content-length": _length, ...rest } = flat(got.headers);
          delete rest["transfer-encoding"];
          resolve({ status: got.statusCode ?? 0, headers: rest, body: Buffer.concat(chunks) });
        });
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

async function show(what: Shown, response: ServerResponse, signal: AbortSignal): Promise<void> {
  if (what.kind === "cut") return void response.destroy();
  if (what.kind === "silence") {
    await pause(SILENCE_MS, undefined, { signal });
    return void response.destroy();
  }
  if (what.kind === "raw") return void response.socket?.end(what.bytes);
  const { status, headers, body } = what.answer;
  const chunked = headers["transfer-encoding"] !== undefined;
  response.writeHead(status, chunked ? headers : { ...headers, "content-length": body.length });
  if (what.kind === "slow") {
    const size = Math.ceil(body.length / SLOW_PIECES);
    for (let at = 0; at < body.length; at += size) {
      response.write(body.subarray(at, at + size));
      await pause(what.ms / SLOW_PIECES, undefined, { signal });
    }
    response.end();
    return;
  }
  response.end(body);
}
