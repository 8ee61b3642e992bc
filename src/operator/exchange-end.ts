import type { Exchange } from "#store";

/** How a request ended, for a person. */
export function exchangeEnd({ status, failure }: Pick<Exchange, "status" | "failure">): string {
  return status === undefined ? `no answer: ${failure ?? "it was stopped"}` : `HTTP ${status}`;
}
