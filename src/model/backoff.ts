/** How the pauses between attempts grow: they double from `baseMs` to `maxMs`. */
export interface Backoff {
  readonly baseMs: number;
  readonly maxMs: number;
}

/**
 * The pause after attempt number `attempt` (from 1): exponential, with equal jitter, so between half of it and the whole. What
 * failed together does not return together.
 */
export function backoffMs({ baseMs, maxMs }: Backoff, attempt: number): number {
  const whole = Math.min(maxMs, baseMs * 2 ** Math.max(0, attempt - 1));
  return Math.round(whole * (0.5 + Math.random() / 2));
}
