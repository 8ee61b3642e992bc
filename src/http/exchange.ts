import type { IncomingHttpHeaders } from "node:http";
import type { Socket } from "node:net";
import type { Request, Response } from "got";
import { onAbort } from "#model";
import { HttpFailure, httpFailure } from "./failure.ts";
import { Withheld } from "./gate.ts";

export interface ExchangeLimits {
  /** Method and address without query, for messages. */
  readonly place: string;
  readonly callTimeoutMs: number;
  readonly responseLimitBytes: number;
  readonly signal: AbortSignal | undefined;
}

export interface RawAnswer {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Uint8Array;
  /** Whether another address answered, to which the server had redirected. */
  readonly isRedirected: boolean;
}

/**
 * Follows one request of got to the end of its answer, within the limits whatever the server does. got's own promise costs a third
 * more, and got's own time limit ends with the first redirect.
 * @throws {HttpFailure}, the abort reason at once when the signal is aborted, or why the request was withheld.
 */
export function exchange(request: Request, limits: ExchangeLimits): Promise<RawAnswer> {
  const { place, callTimeoutMs, responseLimitBytes, signal } = limits;
  return new Promise((resolve, reject) => {
    const hops: Response[] = [];
    const end = (settle: () => void) => {
      clearTimeout(timer);
      unfollow?.();
      settle();
      request.destroy();
      // A redirect whose body never ends would keep its connection open.
      for (const hop of hops) if (!hop.complete) hop.socket?.destroy();
    };
    const fail = (reason: "timeout" | "too-large" | "malformed", what: string) =>
      end(() => reject(new HttpFailure(reason, `${place}: ${what}`, { outcomeUnknown: true })));
    const timer = setTimeout(() => fail("timeout", `not at its end after ${callTimeoutMs} ms`), callTimeoutMs);
    const unfollow = signal && onAbort(signal, () => end(() => reject(signal.reason)));

    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > responseLimitBytes) fail("too-large", `the answer is larger than ${responseLimitBytes} bytes`);
    });
    request.on("end", () => {
      const { statusCode, headers } = request.response!;
      const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
      end(() => resolve({ statusCode, headers, bytes, isRedirected: hops.length > 0 }));
    });
    request.on("redirect", (_options: unknown, hop: Response) => hops.push(hop));
    request.on("upgrade", (_answer: unknown, socket: Socket) => {
      socket.destroy();
      fail("malformed", "the server switched to another protocol unasked");
    });
    request.on("error", (thrown: unknown) => end(() => reject(reasonWithheld(thrown) ?? httpFailure(thrown, place))));
  });
}

function reasonWithheld(thrown: unknown): unknown {
  const { cause } = thrown instanceof Error ? thrown : {};
  return cause instanceof Withheld ? cause.reason : undefined;
}
