import { within, asError, sleep, untilAborted, type RecordId, type StreamName } from "#model";
import type { Logger } from "#telemetry";
import type { Backend, JobWorker, Jobs } from "./backend.ts";
import type { Queue, QueueHandlers, WakeOptions } from "../contract.ts";
import { abortGraceMs, pollGraceMs } from "../grace.ts";
import { deliveryQueueName, deliveryWork } from "./deliveries.ts";
import type { JobQueues } from "./job-queues.ts";
import { pollConcurrency, pollQueueName, pollWork } from "./polls.ts";
import type { BackendHealth } from "./backend-health.ts";
import { PrioritySemaphore } from "./priority-semaphore.ts";

const retryPauseMs = 500;
/** How long the workers may take to connect before a warning is logged, in milliseconds. */
const connectionPatienceMs = 5_000;

const late = () => false;

export interface WorkersDeps {
  readonly backend: Backend;
  readonly reach: BackendHealth;
  readonly lines: JobQueues;
  /** Handlers that never throw. */
  readonly handlers: QueueHandlers;
  readonly wake: Queue["wake"];
  readonly concurrency: number;
  /** The streams that are polled at this interval. */
  readonly polledEvery: (everyMs: number) => readonly StreamName[];
  readonly logger: Logger;
  /** Whether to start with taking deliveries. */
  readonly isDelivering: boolean;
}

/** The two workers: one for deliveries and one for polls, so that neither waits for the other. */
export class Workers {
  readonly #deps: WorkersDeps;
  readonly #stopping = new AbortController();
  readonly #leaving = new AbortController();
  readonly #leavingPolls = new AbortController();
  readonly #deliveries: Promise<JobWorker | undefined>;
  #polls: Promise<JobWorker | undefined> | undefined;
  #isDelivering: boolean;
  #concurrency: number;
  #isWaitTold = false;
  readonly #turns: PrioritySemaphore;
  /** All workers, even those that are not ready. */
  readonly #made = new Set<JobWorker>();

  /** Starts to take deliveries. */
  constructor(deps: WorkersDeps) {
    this.#deps = deps;
    this.#isDelivering = deps.isDelivering;
    this.#concurrency = deps.concurrency;
    this.#turns = new PrioritySemaphore(deps.concurrency);
    this.#deliveries = this.#hire(() => this.#deliveryWorker(), this.#leaving.signal);
  }

  /** Starts to take polls too. */
  startPolls(): void {
    this.#polls ??= this.#hire(({ polls }) => this.#pollWorker(polls), this.#leavingPolls.signal);
  }

  /**
   * Takes no more polls and aborts running ones, because rows that they have not stored are read again. Resolves to whether they ended in
   * time.
   */
  async stopPolls(graceMs = pollGraceMs): Promise<boolean> {
    this.#leavingPolls.abort();
    return within(graceMs, closed(this.#polls), late);
  }

  /** Resolves when the workers take jobs, at the latest after seconds: a server that answers may still refuse more connections. */
  async hired(): Promise<void> {
    const hired = Promise.all([this.#deliveries, this.#polls]).then(() => true);
    if ((await within(connectionPatienceMs, hired, late)) || this.#isWaitTold) return;
    this.#isWaitTold = true;
    this.#deps.logger.warn({}, "workers got no connection to the queue yet");
  }

  /** The number of running deliveries. */
  get underWay(): number {
    return this.#turns.taken;
  }

  /** Sets whether this process takes deliveries; if not, other processes take them. Running deliveries continue. */
  async setDelivering(isOn: boolean): Promise<void> {
    if (isOn === this.#isDelivering) return;
    this.#isDelivering = isOn;
    // Pass unstarted records to other processes at once, without waiting for running deliveries.
    this.#turns.setUnlimited(!isOn);
    const worker = await this.#deliveries;
    // Neither waits for running deliveries.
    await (this.#isDelivering ? worker?.resume() : worker?.pause(true));
  }

  /** Sets how many deliveries run at once. Running ones continue. */
  setConcurrency(concurrency: number): void {
    this.#concurrency = concurrency;
    this.#turns.resize(concurrency);
    void this.#resize();
  }

  async #resize(): Promise<void> {
    const worker = await this.#deliveries;
    if (worker) worker.concurrency = this.#concurrency;
  }

  /**
   * Takes no more jobs and aborts running polls at once. Waits up to `graceMs` for running deliveries, then aborts their signals. After
   * that, abandons jobs that have not ended.
   */
  async stop(graceMs: number): Promise<void> {
    this.#leaving.abort();
    this.#turns.setUnlimited(true);
    const deliveries = closed(this.#deliveries);
    await Promise.all([within(graceMs, deliveries, late), this.stopPolls(Math.min(graceMs, pollGraceMs))]);
    this.#stopping.abort();
    await within(abortGraceMs, deliveries, late);
    await Promise.all([...this.#made].map((worker) => worker.abandon()));
  }

  async #hire(make: (lines: { polls: Jobs }) => JobWorker, signal: AbortSignal): Promise<JobWorker | undefined> {
    while (!signal.aborted) {
      let worker: JobWorker | undefined;
      try {
        const lines = await this.#deps.lines.get();
        if (signal.aborted) return undefined;
        worker = make(lines);
        this.#made.add(worker);
        await untilAborted(worker.waitUntilReady(), signal);
        return worker;
      } catch (error) {
        const closing = worker?.close().catch(() => undefined);
        // A worker without a connection ends when the connections are closed.
        if (signal.aborted) return undefined;
        this.#deps.reach.heard(asError(error));
        await closing;
        if (worker) this.#made.delete(worker);
        await sleep(retryPauseMs, signal);
      }
    }
    return undefined;
  }

  #deliveryWorker(): JobWorker {
    const { backend, handlers, logger, reach } = this.#deps;
    const deliver = deliveryWork({
      deliver: (id, signal) => {
        reach.works();
        return handlers.deliver(id, signal);
      },
      turns: this.#turns,
      mayBegin: () => this.#isDelivering && !this.#leaving.signal.aborted,
      passOn: (...of) => this.#passOn(...of),
      stopping: this.#stopping.signal,
      logger,
    });
    const settings = { concurrency: this.#concurrency, tellsLoss: false };
    const worker = backend.worker(deliveryQueueName, deliver, settings, (error) => reach.heard(error));
    if (!this.#isDelivering) void worker.pause(true);
    return worker;
  }

  /** If this fails, the record is woken again later. */
  async #passOn(id: RecordId, options: WakeOptions): Promise<void> {
    const { wake, logger } = this.#deps;
    try {
      await wake([id], options);
    } catch (error) {
      logger.debug({ ...id, err: asError(error) }, "could not pass a delivery on");
    }
  }

  #pollWorker(polls: Jobs): JobWorker {
    const { backend, handlers, polledEvery, reach } = this.#deps;
    const poll = pollWork({
      jobs: () => polls,
      poll: (stream, signal) => {
        reach.works();
        return handlers.poll(stream, signal);
      },
      polledEvery,
      stopping: this.#leavingPolls.signal,
    });
    const settings = { concurrency: pollConcurrency, tellsLoss: true };
    return backend.worker(pollQueueName, poll, settings, (error) => reach.heard(error));
  }
}

/** Resolves to true when the worker has ended its last job, to false if closing failed. */
async function closed(worker: Promise<JobWorker | undefined> | undefined): Promise<boolean> {
  try {
    await (await worker)?.close();
    return true;
  } catch {
    return false;
  }
}
