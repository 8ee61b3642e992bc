import type { Exchange } from "#store";

/** How a request ended, for a person. */
export function exchangeEnd({ status, failure }: Pick<Exchange, "status" | "failure">): string {
  return status === undefined ? `no answer: ${failure ?? "it was stopped"}` : `HTTP ${status}`;
}

/** How the service limits svcsync, in whole words: the state's `holdMs` and `perSecond`. Undefined where it does not. */
export function paceText({ holdMs, perSecond }: PaceFacts): string | undefined {
  const parts: string[] = [];
  if (holdMs > 0) parts.push(`asked svcsync to wait ${Math.ceil(holdMs / 1_000).toLocaleString("en")} s (429)`);
  if (perSecond !== undefined) parts.push(`lets ${Math.round(perSecond).toLocaleString("en")} requests a second pass`);
  return parts.length === 0 ? undefined : parts.join(" and ");
}

interface PaceFacts {
  readonly holdMs: number;
  /** Undefined: no limit is known. */
  readonly perSecond?: number | undefined;
}
