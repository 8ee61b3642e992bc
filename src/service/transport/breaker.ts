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
  /** Failures in a row that open it. */
  readonly failures: number;
  /** How long it stays open at first; each probe that fails doubles it. */
  readonly pauseMs: number;
  readonly pauseMaxMs: number;
}

/**
 * Time-outs in a row that open it. Each lasts as long as a request may: ten of them, one after another, would hide for five
 * minutes that the service hangs.
 */
const TIMEOUTS = 2;
/** How long callers stay away while another one's probe runs. */
const PROBE_MS = 1000;

/**
 * Stops hammering a service that is down. After some failures in a row nothing is sent for a while; then one single
 * request probes, and its end decides for all. Only failures of the service count: refusals and busy answers prove life.
 */
export class Breaker {
  readonly #policy: CircuitBreakerPolicy;
  readonly #inARow: ConsecutiveBreaker;
  /** As how many failures a time-out counts. */
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

  /** Runs `call`. @throws {WaitError} E_SERVICE_DOWN, without calling, while it is open or another call probes. */
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
      // The policy counts it once itself.
      const more = isTimeout ? this.#timeoutWeight - 1 : 0;
      for (let count = 0; count < more; count++) this.#inARow.failure();
      throw thrown;
    }
  }

  /** Pauses end by the wall clock. If it was set back, a pause would last until it caught up: end it now. */
  #heedClock(): void {
    if (this.#policy.state === CircuitState.Open && Date.now() < this.#openedAt) this.#policy.isolate().dispose();
  }

  /** What was cut short by ourselves proved nothing. */
  #probeWasAborted(thrown: unknown): boolean {
    return this.#policy.state === CircuitState.HalfOpen && !(thrown instanceof SyncError);
  }
}

function down(afterMs: number): WaitError {
  return new WaitError("E_SERVICE_DOWN", "the service does not answer; nothing is sent until a probe succeeds", {
    afterMs,
  });
}
