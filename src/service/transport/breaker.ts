import {
  circuitBreaker,
  CircuitState,
  ConsecutiveBreaker,
  handleWhen,
  isBrokenCircuitError,
  type CircuitBreakerPolicy,
  type IBackoff,
} from "cockatiel";
import { RetryError, SyncError, WaitError } from "#model";

export interface BreakerSettings {
  /** Consecutive failures that open it. */
  readonly failures: number;
  /** How long it stays open at first; each failed probe doubles it. */
  readonly pauseMs: number;
  readonly pauseMaxMs: number;
}

/**
 * Consecutive time-outs that open it. A time-out lasts as long as a request may take: ten in a row would hide a hanging
 * service for five minutes.
 */
const TIMEOUTS = 2;
/** How long callers wait while another caller's probe runs. */
const PROBE_MS = 1000;

/**
 * Circuit breaker for a service that is down. After some failures in a row it blocks all requests for a while, then lets
 * a single request probe, whose result decides for all. Only failures of the service count: a refusal or a busy answer
 * proves that it is up.
 */
export class Breaker {
  readonly #policy: CircuitBreakerPolicy;
  readonly #inARow: ConsecutiveBreaker;
  /** How many failures a time-out counts as. */
  readonly #timeoutWeight: number;
  #openedAt = 0;
  #probeAt: number | undefined;

  constructor(settings: BreakerSettings, changed: (state: "open" | "closed", probeAt: number | undefined) => void) {
    const pause = (attempt: number) => Math.min(settings.pauseMaxMs, settings.pauseMs * 2 ** (attempt - 1));
    const backoff = (duration: number): IBackoff<{ readonly attempt: number }> => ({
      duration,
      next: ({ attempt }) => {
        const next = backoff(pause(attempt));
        this.#openedAt = Date.now();
        this.#probeAt = this.#openedAt + next.duration;
        return next;
      },
    });
    this.#inARow = new ConsecutiveBreaker(settings.failures);
    this.#timeoutWeight = Math.ceil(settings.failures / TIMEOUTS);
    this.#policy = circuitBreaker(
      handleWhen((thrown) => thrown instanceof RetryError || this.#probeWasAborted(thrown)),
      { breaker: this.#inARow, halfOpenAfter: backoff(settings.pauseMs) },
    );
    this.#policy.onBreak(() => changed("open", this.#probeAt));
    this.#policy.onReset(() => changed("closed", undefined));
  }

  get state(): "closed" | "open" | "half-open" {
    this.#heedClock();
    if (this.#policy.state === CircuitState.Closed) return "closed";
    return this.#policy.state === CircuitState.HalfOpen ? "half-open" : "open";
  }

  get probeAt(): number | undefined {
    return this.state === "closed" ? undefined : this.#probeAt;
  }

  /** Runs `call`. @throws {WaitError} E_SERVICE_DOWN, without calling, while the breaker is open or another call probes. */
  async run<T>(call: () => Promise<T>): Promise<T> {
    this.#heedClock();
    if (this.#policy.state === CircuitState.HalfOpen) throw down(PROBE_MS);
    try {
      return await this.#policy.execute(() => this.#weighed(call));
    } catch (thrown) {
      if (isBrokenCircuitError(thrown)) throw down(Math.max(1, (this.#probeAt ?? 0) - Date.now()));
      throw thrown;
    }
  }

  async #weighed<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (thrown) {
      const isTimeout = thrown instanceof RetryError && thrown.details["reason"] === "timeout";
      // The policy itself counts it once.
      const more = isTimeout ? this.#timeoutWeight - 1 : 0;
      for (let count = 0; count < more; count++) this.#inARow.failure();
      throw thrown;
    }
  }

  /** Pauses end by the wall clock. After it was set back, a pause would last until it caught up, so it is ended now. */
  #heedClock(): void {
    if (this.#policy.state === CircuitState.Open && Date.now() < this.#openedAt) this.#policy.isolate().dispose();
  }

  /** A request that we aborted ourselves proves nothing. */
  #probeWasAborted(thrown: unknown): boolean {
    return this.#policy.state === CircuitState.HalfOpen && !(thrown instanceof SyncError);
  }
}

function down(afterMs: number): WaitError {
  return new WaitError("E_SERVICE_DOWN", "the service does not answer; nothing is sent until a probe succeeds", {
    afterMs,
  });
}
