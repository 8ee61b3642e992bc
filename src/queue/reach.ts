import { sleep, SyncError, type Clock } from "#model";
import type { Logger } from "#telemetry";
import type { Backend } from "./backend.ts";
import { refused, saysUnreachable, unreachable } from "./errors.ts";

/** No call keeps its caller longer than this, in milliseconds. */
const patienceMs = 5_000;
/** Between two looks whether a lost server is back. */
const probePauseMs = 500;

const noop = () => undefined;

/**
 * Whether the backend can be reached: calls pass through here, so that none hangs, an outage is logged once and not per
 * call, and the server's return is noticed without being asked for.
 */
export class Reach {
  readonly #backend: Backend;
  readonly #label: string;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #closing = new AbortController();
  readonly #onReturn: (() => void)[] = [];
  #probe: Promise<void> | undefined;
  #lostAt: number | undefined;
  /** Gives up the calls, and the looks, that are under way. */
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
    if (this.#lostAt !== undefined) await this.probe();
    try {
      return await this.#inTime(work(), this.#calling);
    } catch (error) {
      const verdict = this.#judged(error);
      if (saysUnreachable(verdict)) this.#doubt();
      throw verdict;
    }
  }

  /** Resolves when the server answers now; throws what {@link call} throws. Calls at the same time share one look. */
  probe(): Promise<void> {
    this.#probe ??= this.#look().finally(() => (this.#probe = undefined));
    return this.#probe;
  }

  /** What BullMQ met in the background. */
  heard(error: Error): void {
    if (this.#closing.signal.aborted) return;
    if (saysUnreachable(error)) this.#doubt();
    else this.#log.debug({ err: error }, "met an error in the background of the queue");
  }

  /** Whoever still waits gives up. */
  close(): void {
    this.#closing.abort();
    for (const giveUp of [...this.#calling, ...this.#looking]) giveUp();
  }

  async #look(): Promise<void> {
    try {
      await this.#inTime(this.#backend.probe(), this.#looking);
    } catch (error) {
      const verdict = this.#judged(error);
      if (saysUnreachable(verdict)) this.#lost(verdict);
      throw verdict;
    }
    if (this.#lostAt === undefined) return;
    const durationMs = this.#clock.now() - this.#lostAt;
    this.#lostAt = undefined;
    this.#log.info({ queue: this.#label, durationMs }, "reached the queue again");
    for (const listener of this.#onReturn) listener();
  }

  /** Waits for `answer` until patience ends or somebody gives up; a later answer is for nobody. */
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
    return saysUnreachable(error) ? unreachable(this.#label, error) : refused(this.#label, error);
  }

  /** One connection that broke is no outage yet: the probe decides. */
  #doubt(): void {
    if (!this.#closing.signal.aborted) this.probe().catch(() => undefined);
  }

  #lost(error: Error): void {
    if (this.#lostAt !== undefined || this.#closing.signal.aborted) return;
    this.#lostAt = this.#clock.now();
    /** Calls that are under way need not run into their time-out. */
    for (const giveUp of this.#calling) giveUp();
    this.#log.warn({ queue: this.#label, err: error }, "lost the queue");
    void this.#watch();
  }

  async #watch(): Promise<void> {
    const { signal } = this.#closing;
    while (this.#lostAt !== undefined && !signal.aborted) {
      await sleep(probePauseMs, signal);
      if (!signal.aborted) await this.probe().catch(() => undefined);
    }
  }
}
