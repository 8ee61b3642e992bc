import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { localServer } from "../../kit/http.ts";

/** What an ERP answered. */
export interface Answered {
  readonly status: number;
  readonly body: string;
}

/**
 * An address before an ERP. While `isLocked`, what svcsync sends bears another secret, which the ERP itself then refuses: the ERP's
 * own user stays as it is.
 */
export interface Door extends AsyncDisposable {
  readonly url: string;
  isLocked: boolean;
  /** Answers that were refusals, while it was locked. */
  readonly refused: number;
}

/** Headers that belong to one connection or one encoding of a body. */
const OWN_HEADERS = new Set([
  "host",
  "connection",
  "content-length",
  "content-encoding",
  "transfer-encoding",
  "keep-alive",
]);

/** `secret` is what it changes when it is locked. */
export async function openDoor(
  target: string,
  secret: string,
  isRefusal: (answered: Answered) => boolean,
): Promise<Door> {
  const base = target.replace(/\/$/, "");
  const wrong = "0".repeat(secret.length);
  const state = { isLocked: false, refused: 0 };
  const pass = async (request: IncomingMessage, response: ServerResponse) => {
    const isLocked = state.isLocked;
    const write = (text: string) => (isLocked ? text.replaceAll(secret, wrong) : text);
    const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
      OWN_HEADERS.has(name) || typeof value !== "string" ? [] : [[name, write(value)]],
    );
    const { method = "GET", url = "/" } = request;
    const body = write(await textOf(request));
    const answer = await fetch(`${base}${url}`, {
      method,
      headers,
      redirect: "manual",
      ...(method === "GET" || method === "HEAD" ? {} : { body }),
    });
    const text = await answer.text();
    if (isLocked && isRefusal({ status: answer.status, body: text })) state.refused += 1;
    response.writeHead(
      answer.status,
      Object.fromEntries([...answer.headers].filter(([name]) => !OWN_HEADERS.has(name))),
    );
    response.end(text);
  };
  const local = await localServer((request, response) => {
    pass(request, response).catch(() => response.destroy());
  });
  return {
    url: `http://127.0.0.1:${local.port}`,
    get isLocked() {
      return state.isLocked;
    },
    set isLocked(isLocked) {
      state.isLocked = isLocked;
    },
    get refused() {
      return state.refused;
    },
    [Symbol.asyncDispose]: () => local[Symbol.asyncDispose](),
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  await once(request, "end");
  return Buffer.concat(chunks).toString("utf8");
}
