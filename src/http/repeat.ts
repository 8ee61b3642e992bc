import { backoffMs, RetryError, sleep, WaitError, type Backoff } from "#model";

/** How often and how patiently a harmless request is repeated. */
export interface RepeatPolicy extends Backoff {
  /** Calls in all, the first included. */
  readonly attempts: number;
  /** The longest `afterMs` of a {@link WaitError} that is waited for here; undefined: waits are left to the caller. */
  readonly waitMs?: number;
}

/**
 * Repeats `call` while it fails with a {@link RetryError}, pausing longer each time and never in step with others.
 * Only for requests that may be carried out twice without harm: the caller says so by calling this.
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
  const growing = backoffMs(policy, attempt);
  if (thrown instanceof RetryError) return growing;
  if (!(thrown instanceof WaitError) || policy.waitMs === undefined) return undefined;
  const asked = thrown.afterMs ?? 0;
  return asked <= policy.waitMs ? Math.max(asked, growing) : undefined;
}
