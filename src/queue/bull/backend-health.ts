import { sleep, StopError, SyncError, type Clock, type ErrorCode } from "#model";
import type { Logger } from "#telemetry";
import type { Backend } from "./backend.ts";
import { denied, queueRefused, isAccessDenied, isUnreachable, unreachable } from "../errors.ts";

/** How long a call may wait for the backend, in milliseconds. */
const patienceMs = 5_000;
/** Pause between two probes of a lost server, in milliseconds. */
const probePauseMs = 500;

const noop = () => undefined;

/**
 * Tracks whether the backend answers and takes writes. Every call passes through here: none hangs, an outage is logged once instead of once
 * per call, and probes notice its end.
 */
export class BackendHealth {
  readonly #backend: Backend;
  readonly #label: string;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #closing = new AbortController();
  readonly #onReturn: (() => void)[] = [];
  #probe: Promise<void> | undefined;
  #hasLooked = false;
  #outage: { readonly code: ErrorCode; readonly since: number } | undefined;
  #met: string | undefined;
  /** Functions that give up the calls, and the probes, in progress. */
  readonly #calling = new Set<() => void>();
  readonly #looking = new Set<() => void>();

  constructor(backend: Backend, parts: { label: string; clock: Clock; logger: Logger }) {
    this.#backend = backend;
    this.#label = parts.label;
    this.#clock = parts.clock;
    this.#log = parts.logger;
  }

  /** Calls `listener` each time the server answers again after an outage. */
  onReturn(listener: () => void): void {
    this.#onReturn.push(listener);
  }

  /**
   * Runs `work` against the backend.
   * @throws {RetryError} E_QUEUE_UNREACHABLE within 5 seconds when the server does not answer, E_QUEUE_REFUSED when it
   * answers with an error.
   * @throws {StopError} E_QUEUE_DENIED, E_QUEUE_VERSION
   */
  async call<T>(work: () => Promise<T>): Promise<T> {
    if (this.#outage !== undefined) await this.probe();
    try {
      return await this.#inTime(work(), this.#calling);
    } catch (error) {
      this.#doubt();
      throw this.#judged(error);
    }
  }

  /** Resolves when the server answers and takes writes; throws what {@link call} throws. Concurrent callers share one probe. */
  probe(): Promise<void> {
    this.#probe ??= this.#look().finally(() => (this.#probe = undefined));
    return this.#probe;
  }

  /** Reports an error that BullMQ met in the background. */
  heard(error: Error): void {
    if (this.#closing.signal.aborted) return;
    if (!isUnreachable(error)) this.#log.debug({ err: error }, "met an error in the background of the queue");
    this.#met = error.message;
    this.#doubt();
  }

  /** Why no jobs are handed out although the server answers. */
  get trouble(): string | undefined {
    return this.#met;
  }

  /** Notes that a job was handed out. */
  works(): void {
    this.#met = undefined;
  }

  /** Rejects all pending calls. */
  close(): void {
    this.#closing.abort();
    for (const giveUp of [...this.#calling, ...this.#looking]) giveUp();
  }

  async #look(): Promise<void> {
    const isFirst = !this.#hasLooked;
    this.#hasLooked = true;
    try {
      await this.#inTime(this.#backend.probe(), this.#looking);
    } catch (error) {
      const verdict = this.#judged(error);
      // If the first probe shows that the queue can never be used, its opening fails, and no outage begins.
      if (!(isFirst && verdict instanceof StopError)) this.#begin(verdict);
      throw verdict;
    }
    if (this.#outage === undefined) return;
    const durationMs = this.#clock.now() - this.#outage.since;
    this.#outage = undefined;
    this.#log.info({ queue: this.#label, durationMs }, "reached the queue again");
    for (const listener of this.#onReturn) listener();
  }

  /** Waits for `answer` until the time-out or {@link close}; a later answer is ignored. */
  async #inTime<T>(answer: Promise<T>, waiting: Set<() => void>): Promise<T> {
    let giveUp: () => void = noop;
    const late = new Promise<never>((_, reject) => (giveUp = () => reject(unreachable(this.#label))));
    const timer = setTimeout(giveUp, patienceMs);
    waiting.add(giveUp);
    try {
      return await Promise.race([answer, late]);
    } finally {
      clearTimeout(timer);
      waiting.delete(giveUp);
    }
  }

  #judged(error: unknown): SyncError {
    if (error instanceof SyncError) return error;
    if (isAccessDenied(error)) return denied(this.#label, error);
    return isUnreachable(error) ? unreachable(this.#label, error) : queueRefused(this.#label, error);
  }

  /** A broken connection or a refused command is not yet an outage: the probe decides. */
  #doubt(): void {
    if (this.#outage === undefined && !this.#closing.signal.aborted) this.probe().catch(() => undefined);
  }

  #begin(error: SyncError): void {
    const known = this.#outage;
    if (known?.code === error.code || this.#closing.signal.aborted) return;
    this.#outage = { code: error.code, since: known?.since ?? this.#clock.now() };
    const found = { queue: this.#label, err: error };
    if (isUnreachable(error)) {
      /** Calls in progress need not wait for their time-out. */
      for (const giveUp of this.#calling) giveUp();
      this.#log.warn(found, "lost the queue");
    } else if (error instanceof StopError) this.#log.error(found, "lost access to the queue");
    else this.#log.error(found, "queue refused a write");
    if (known === undefined) void this.#watch();
  }

  async #watch(): Promise<void> {
    const { signal } = this.#closing;
    while (this.#outage !== undefined && !signal.aborted) {
      await sleep(probePauseMs, signal);
      if (!signal.aborted) await this.probe().catch(() => undefined);
    }
  }
}
