import { errorFacts, RetryError, sleep, StopError, type Clock, type RecordId, type StreamName } from "#model";
import { openQueue, type Queue, type QueueHandlers, type QueueLocation, type WakeOptions } from "#queue";
import type { Logger } from "#telemetry";

/** How often poll schedules are given again, in case the queue was emptied. */
const SCHEDULE_AGAIN_MS = 15_000;
const OPEN_AGAIN_MS = 2_000;

export interface QueueWork {
  readonly handlers: QueueHandlers;
  readonly concurrency: number;
  /** Each stream's interval, or undefined: polled one time. */
  readonly polls: ReadonlyMap<StreamName, { everyMs: number } | undefined>;
}

/** Keeps one queue open: waits for a backend that is away, at start too, and gives the schedules again when it was emptied. */
export class QueueConnection {
  readonly #location: QueueLocation;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #queue: Queue | undefined;

  constructor(location: QueueLocation, clock: Clock, logger: Logger) {
    this.#location = location;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Undefined until the backend answered for the first time. */
  get current(): Queue | undefined {
    return this.#queue;
  }

  /** @throws {RetryError} E_QUEUE_UNREACHABLE */
  async wake(ids: readonly RecordId[], options: WakeOptions): Promise<void> {
    await this.#opened().wake(ids, options);
  }

  /** @throws {RetryError} E_QUEUE_UNREACHABLE */
  async ping(): Promise<void> {
    await this.#opened().ping();
  }

  /** Opens the queue, hands out its work and keeps the schedules, until the signal is aborted. */
  async run(work: QueueWork, stop: (error: StopError) => void, signal: AbortSignal): Promise<void> {
    try {
      const queue = await this.#open(signal);
      if (!queue) return;
      await queue.start(work.handlers, { concurrency: work.concurrency });
      await this.#keepPolling(queue, work.polls, signal);
    } catch (thrown) {
      if (thrown instanceof StopError) stop(thrown);
      else
        stop(
          new StopError("E_QUEUE_FAILED", `the queue could not be started: ${errorFacts(thrown).message}`, {
            cause: thrown,
          }),
        );
    }
  }

  /** Hands out nothing more, waits for what runs, and closes. */
  async close(graceMs: number): Promise<void> {
    const queue = this.#queue;
    this.#queue = undefined;
    if (!queue) return;
    await queue.stop(graceMs);
    await queue[Symbol.asyncDispose]();
  }

  async #open(signal: AbortSignal): Promise<Queue | undefined> {
    let isKnown = false;
    while (!signal.aborted) {
      try {
        this.#queue = await openQueue(this.#location, { clock: this.#clock, logger: this.#logger });
        return this.#queue;
      } catch (thrown) {
        if (thrown instanceof StopError) throw thrown;
        if (!isKnown) this.#logger.warn({ err: errorFacts(thrown) }, "queue was not reached");
        isKnown = true;
        await sleep(OPEN_AGAIN_MS, signal);
      }
    }
    return undefined;
  }

  async #keepPolling(queue: Queue, polls: QueueWork["polls"], signal: AbortSignal): Promise<void> {
    const schedules = new Map([...polls].flatMap(([name, schedule]) => (schedule ? [[name, schedule] as const] : [])));
    const once = new Set([...polls].flatMap(([name, schedule]) => (schedule ? [] : [name])));
    while (!signal.aborted) {
      let pauseMs = SCHEDULE_AGAIN_MS;
      try {
        if (schedules.size > 0) await queue.schedulePolls(schedules);
        for (const stream of once) {
          await queue.pollNow(stream);
          once.delete(stream);
        }
      } catch (thrown) {
        if (thrown instanceof StopError) throw thrown;
        this.#logger.debug({ err: errorFacts(thrown) }, "polls were not scheduled");
        pauseMs = OPEN_AGAIN_MS;
      }
      await sleep(pauseMs, signal);
    }
  }

  #opened(): Queue {
    if (this.#queue) return this.#queue;
    throw new RetryError("E_QUEUE_UNREACHABLE", "the queue has not answered yet");
  }
}
