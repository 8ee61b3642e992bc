import type { IncomingMessage, ServerResponse } from "node:http";

const LARGEST_BYTES = 20 * 1024 * 1024;

/**
 * Reads the whole body and hands it over; undefined where the method has none. A body that is too large is answered with
 * 413 and never handed over; neither is one whose sender left in the middle.
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
