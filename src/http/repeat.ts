import { backoffMs, RetryError, sleep, WaitError, type Backoff } from "#model";

/** How often and with which pauses a harmless request is repeated. */
export interface RepeatPolicy extends Backoff {
  /** Calls in total, including the first. */
  readonly attempts: number;
  /** The longest `afterMs` of a {@link WaitError} that is waited for here. Undefined leaves waits to the caller. */
  readonly waitMs?: number;
  /** Whether an error is thrown at once, whatever its kind. */
  readonly isFinal?: (thrown: unknown) => boolean;
}

/**
 * Repeats `call` while it fails with a {@link RetryError}, after growing pauses with jitter.
 * Use it only for requests that may be carried out twice without harm.
 * The last error is thrown as it is; an abort ends the pause with the abort reason.
 */
export async function repeating<T>(
  policy: RepeatPolicy,
  call: () => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (thrown) {
      const pause = attempt < policy.attempts ? pauseAfter(thrown, policy, attempt) : undefined;
      if (pause === undefined) throw thrown;
      await sleep(pause, signal);
      signal?.throwIfAborted();
    }
  }
}

function pauseAfter(thrown: unknown, policy: RepeatPolicy, attempt: number): number | undefined {
  if (policy.isFinal?.(thrown) === true) return undefined;
  const growing = backoffMs(policy, attempt);
  if (thrown instanceof RetryError) return growing;
  if (!(thrown instanceof WaitError) || policy.waitMs === undefined) return undefined;
  const asked = thrown.afterMs ?? 0;
  return asked <= policy.waitMs ? Math.max(asked, growing) : undefined;
}

/**
 * Returns the pause that a Retry-After header asks for, in milliseconds, from seconds or a date; undefined if it is neither. A date
 * is by the server's clock. It is compared with `date`, the answer's own Date header, or without one with `now`, our clock.
 */
export function retryAfterMs(header: string | undefined, now: number, date?: string): number | undefined {
  const text = header?.trim() ?? "";
  if (text === "") return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  const at = Date.parse(text);
  if (Number.isNaN(at)) return undefined;
  const saidAt = Date.parse(date ?? "");
  return Math.max(0, at - (Number.isNaN(saidAt) ? now : saidAt));
}
