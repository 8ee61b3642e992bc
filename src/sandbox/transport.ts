import type { ServerResponse } from "node:http";
import { sleep } from "#model";
import type { ApiResponse } from "./api/answer.ts";

const PIECES = 10;

/** Sends an answer in one go. */
export function send(response: ServerResponse, answer: ApiResponse, date: string | undefined): void {
  response.writeHead(answer.status, headersOf(answer, date));
  response.end(answer.body);
}

/** Sends the head at once and the body in pieces over `ms` milliseconds; ends early when the client has left. */
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

/** Promises the whole body, sends half of it and cuts the connection. */
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
