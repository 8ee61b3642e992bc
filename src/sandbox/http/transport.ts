import type { IncomingMessage, ServerResponse } from "node:http";
import { sleep } from "#model";
import type { ApiResponse } from "../api/answer.ts";

const PIECES = 10;

/** Sends an answer at once. */
export function send(response: ServerResponse, answer: ApiResponse, date: string | undefined): void {
  response.writeHead(answer.status, headersOf(answer, date));
  response.end(answer.body);
}

/** Sends the head at once and the body in pieces over `ms` milliseconds; stops early when the client disconnects. */
export async function sendSlowly(
  response: ServerResponse,
  answer: ApiResponse,
  date: string | undefined,
  ms: number,
): Promise<void> {
  const body = Buffer.from(answer.body);
  response.writeHead(answer.status, headersOf(answer, date));
  response.flushHeaders();
  const size = Math.max(1, Math.ceil(body.length / PIECES));
  for (let at = 0; at < body.length && !response.destroyed; at += size) {
    await sleep(ms / PIECES);
    response.write(body.subarray(at, at + size));
  }
  response.end();
}

/** Announces the whole body, sends half of it and cuts the connection. */
export async function sendHalf(response: ServerResponse, answer: ApiResponse, date: string | undefined): Promise<void> {
  const body = Buffer.from(answer.body === "" ? " " : answer.body);
  response.writeHead(answer.status, { ...headersOf(answer, date), "content-length": body.length + 1 });
  await new Promise<void>((resolve) => {
    response.write(body.subarray(0, Math.ceil(body.length / 2)), () => resolve());
  });
  response.socket?.destroy();
}

function headersOf(answer: ApiResponse, date: string | undefined): Record<string, string | number> {
  const headers: Record<string, string | number> = {};
  if (answer.status !== 204) headers["content-length"] = Buffer.byteLength(answer.body);
  if (answer.body !== "") headers["content-type"] = "application/json; charset=utf-8";
  if (date !== undefined) headers["date"] = date;
  return answer.headers === undefined ? headers : { ...headers, ...answer.headers };
}

const LARGEST_BYTES = 20 * 1024 * 1024;

/**
 * Reads the whole body and passes it on; undefined where the method has none. A body that is too large is answered with
 * 413 and not passed on; neither is a body whose sender disconnected.
 */
export function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  done: (body: Buffer | undefined) => void,
): void {
  if (request.method === "GET" || request.method === "HEAD") {
    request.resume();
    done(undefined);
    return;
  }
  let first: Buffer | undefined;
  let more: Buffer[] | undefined;
  let bytes = 0;
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > LARGEST_BYTES) {
      request.removeAllListeners("end");
      response.writeHead(413, { connection: "close" }).end();
      request.destroy();
    } else if (first === undefined) first = chunk;
    else (more ??= [first]).push(chunk);
  });
  request.on("end", () => done(more === undefined ? first : Buffer.concat(more)));
}
