import type { IncomingHttpHeaders } from "node:http";
import type { Request, Response } from "got";
import { asError, onAbort } from "#model";
import { HttpFailure, networkFailure } from "./failure.ts";
import { Withheld } from "./gate.ts";
import type { Wire } from "./wire.ts";

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
export function exchange(request: Request, wire: Wire, limits: ExchangeLimits): Promise<RawAnswer> {
  const { place, callTimeoutMs, responseLimitBytes, signal } = limits;
  return new Promise((resolve, reject) => {
    const hops: Response[] = [];
    const end = (settle: () => void) => {
      clearTimeout(timer);
      unfollow?.();
      settle();
      wire.destroy();
      request.destroy();
      // A redirect whose body never ends would keep its connection open.
      for (const hop of hops) if (!hop.complete) hop.socket?.destroy();
    };
    const fail = (reason: "timeout" | "too-large", what: string) =>
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
    // got wraps what the wire threw; what else it reports is an error of the answer, or of a request that was never made.
    request.on("error", (thrown: unknown) => {
      const { cause } = asError(thrown);
      const failed = cause instanceof HttpFailure ? cause : networkFailure(asError(thrown), place, !!request.response);
      end(() => reject(cause instanceof Withheld ? cause.reason : failed));
    });
  });
}
