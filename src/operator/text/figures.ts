import { grouped } from "#model";
import type { ArrivalTimes } from "#pipeline";
import type { WatchedExchange } from "#store";

const units = [
  { name: "d", ms: 86_400_000 },
  { name: "h", ms: 3_600_000 },
  { name: "min", ms: 60_000 },
  { name: "s", ms: 1000 },
] as const;

/** `90000` as `1 min`: one number with the largest unit that fits, rounded down. */
export function roughDuration(ms: number): string {
  const unit = units.find((candidate) => ms >= candidate.ms);
  return unit === undefined ? "0 s" : `${Math.floor(ms / unit.ms)} ${unit.name}`;
}

/** The median time of a change from the ERP to the service, and the time within which 95 % arrive. */
export function arrivalText({ medianMs, p95Ms }: ArrivalTimes): string {
  return `${boundText(medianMs)} (95 %: ${boundText(p95Ms)})`;
}

function boundText(ms: number): string {
  if (!Number.isFinite(ms)) return "more than 3 d";
  return ms % 1_000 === 0 ? roughDuration(ms) : `${ms / 1_000} s`;
}

/** How a request ended, for a person. */
export function exchangeEnd({ status, failure }: Pick<WatchedExchange, "status" | "failure">): string {
  return status === undefined ? `no answer: ${failure ?? "it was stopped"}` : `HTTP ${status}`;
}

/** How the service limits svcsync, in whole words, from the state's `holdMs` and `perSecond`. Undefined where it does not. */
export function paceText({ holdMs, perSecond }: PaceFacts): string | undefined {
  const parts: string[] = [];
  if (holdMs > 0) parts.push(`asked svcsync to wait ${grouped(Math.ceil(holdMs / 1_000))} s (429)`);
  if (perSecond !== undefined) parts.push(`accepts ${grouped(Math.round(perSecond))} requests per second`);
  return parts.length === 0 ? undefined : parts.join(" and ");
}

interface PaceFacts {
  readonly holdMs: number;
  /** Undefined if no limit is known. */
  readonly perSecond?: number | undefined;
}
