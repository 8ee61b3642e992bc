import { sleep, type StreamName } from "#model";
import type { Logger } from "#telemetry";
import type { Backend, JobWorker, Jobs } from "./backend.ts";
import type { QueueHandlers } from "./contract.ts";
import { asError, deliveryQueueName, deliveryWork } from "./deliveries.ts";
import { pollConcurrency, pollQueueName, pollWork } from "./polls.ts";
import type { Reach } from "./reach.ts";

const retryPauseMs = 500;

/** BullMQ's two queues, opened when the backend is first reached. */
export class Lines {
  readonly #backend: Backend;
  readonly #reach: Reach;
  #open: Promise<{ deliveries: Jobs; polls: Jobs }> | undefined;

  constructor(backend: Backend, reach: Reach) {
    this.#backend = backend;
    this.#reach = reach;
  }

  /** Opening is tried again by the next call when it failed: BullMQ's queues do not get over a failed start. */
  async get(): Promise<{ deliveries: Jobs; polls: Jobs }> {
    this.#open ??= this.#openBoth();
    try {
      return await this.#open;
    } catch (error) {
      this.#open = undefined;
      throw error;
    }
  }

  async close(): Promise<void> {
    const both = await this.#open?.catch(() => undefined);
    await Promise.allSettled([both?.deliveries.close(), both?.polls.close()]);
  }

  async #openBoth() {
    await this.#reach.probe();
    const heard = (error: Error) => this.#reach.heard(error);
    const deliveries = this.#backend.jobs(deliveryQueueName, heard);
    const polls = this.#backend.jobs(pollQueueName, heard);
    try {
      await Promise.all([deliveries.waitUntilReady(), polls.waitUntilReady()]);
      return { deliveries, polls };
    } catch (error) {
      await Promise.allSettled([deliveries.close(), polls.close()]);
      throw error;
    }
  }
}

export interface CrewParts {
  readonly backend: Backend;
  readonly reach: Reach;
  readonly lines: Lines;
  readonly handlers: QueueHandlers;
  readonly concurrency: number;
  readonly isScheduled: (stream: StreamName) => boolean;
  readonly logger: Logger;
}

/** The two workers: one for deliveries, one for polls, so that neither waits for the other. */
export class Crew {
  readonly #parts: CrewParts;
  readonly #stopping = new AbortController();
  readonly #leaving = new AbortController();
  #workers: JobWorker[] = [];
  readonly #hired: Promise<void>;

  constructor(parts: CrewParts) {
    this.#parts = parts;
    this.#hired = this.#hire();
  }

  /** Resolves when both workers take jobs. While the backend is away, that is when it is back. */
  get hired(): Promise<void> {
    return this.#hired;
  }

  /** Takes no more jobs, waits up to `graceMs` for the running ones, then aborts their signals. */
  async stop(graceMs: number): Promise<void> {
    this.#leaving.abort();
    const left = this.#hired.then(() => Promise.allSettled(this.#workers.map((worker) => worker.close())));
    const timer = new AbortController();
    await Promise.race([left, sleep(graceMs, timer.signal)]);
    timer.abort();
    this.#stopping.abort();
    await Promise.race([left, sleep(retryPauseMs)]);
  }

  async #hire(): Promise<void> {
    const { signal } = this.#leaving;
    while (!signal.aborted) {
      try {
        this.#workers = this.#makeWorkers(await this.#parts.lines.get());
        await Promise.all(this.#workers.map((worker) => worker.waitUntilReady()));
        return;
      } catch (error) {
        this.#parts.logger.debug({ err: asError(error) }, "could not start the workers yet");
        await Promise.allSettled(this.#workers.map((worker) => worker.close()));
        await sleep(retryPauseMs, signal);
      }
    }
  }

  #makeWorkers({ polls }: { polls: Jobs }): JobWorker[] {
    const { backend, handlers, concurrency, isScheduled, logger, reach } = this.#parts;
    const stopping = this.#stopping.signal;
    const heard = (error: Error) => reach.heard(error);
    const deliver = deliveryWork((id, signal) => handlers.deliver(id, signal), stopping, logger);
    const poll = pollWork({
      jobs: () => polls,
      poll: (stream, signal) => handlers.poll(stream, signal),
      isScheduled,
      stopping,
      logger,
    });
    return [
      backend.worker(deliveryQueueName, deliver, { concurrency, tellsLoss: false }, heard),
      backend.worker(pollQueueName, poll, { concurrency: pollConcurrency, tellsLoss: true }, heard),
    ];
  }
}
