import type { RecordId, StreamName } from "#model";
import type { Logger } from "#telemetry";
import type { MarkName, Queue, QueueHandlers, StartOptions, WakeOptions } from "../contract.ts";
import { loggedHandlers } from "../logged-handlers.ts";
import { HandlerWorker } from "./handler-worker.ts";
import type { InProcessJobs } from "./jobs.ts";
import { PollTimers } from "./poll-timers.ts";

const noPolls: ReadonlyMap<StreamName, { everyMs: number }> = new Map();

/** Implements the queue in this process alone. It always answers, loses nothing while the process lives, and everything when it ends. */
export class InProcessQueue implements Queue {
  readonly kind = "in-process";
  readonly #jobs: InProcessJobs;
  readonly #logger: Logger;
  readonly #timers: PollTimers;
  #worker: HandlerWorker | undefined;
  #isDelivering = true;
  #concurrency: number | undefined;

  constructor(jobs: InProcessJobs, logger: Logger) {
    this.#jobs = jobs;
    this.#logger = logger;
    this.#timers = new PollTimers((stream) => jobs.addPoll(stream, { afterRunning: false }));
  }

  async wake(ids: readonly RecordId[], options: WakeOptions): Promise<void> {
    this.#jobs.addDeliveries(ids, options);
  }

  async schedulePolls(polls: ReadonlyMap<StreamName, { everyMs: number }>): Promise<void> {
    this.#timers.set(polls);
  }

  async pollNow(stream: StreamName): Promise<void> {
    this.#jobs.addPoll(stream, { afterRunning: true });
  }

  async start(handlers: QueueHandlers, { concurrency, polls = true }: StartOptions): Promise<void> {
    this.#worker = new HandlerWorker({
      jobs: this.#jobs,
      handlers: loggedHandlers(handlers, this.#logger),
      concurrency: this.#concurrency ?? concurrency,
      isDelivering: this.#isDelivering,
    });
    if (polls) this.#worker.startPolls();
  }

  async startPolls(): Promise<void> {
    this.#worker?.startPolls();
  }

  async stopPolls(): Promise<boolean> {
    this.#timers.set(noPolls);
    return (await this.#worker?.stopPolls()) ?? true;
  }

  async setDelivering(isOn: boolean): Promise<void> {
    this.#isDelivering = isOn;
    this.#worker?.setDelivering(isOn);
  }

  underWay(): number {
    return this.#worker?.underWay ?? 0;
  }

  setConcurrency(concurrency: number): void {
    this.#concurrency = concurrency;
    this.#worker?.setConcurrency(concurrency);
  }

  async stop(graceMs: number): Promise<void> {
    this.#timers.set(noPolls);
    await this.#worker?.stop(graceMs);
    this.#worker = undefined;
  }

  async ping(): Promise<void> {}

  trouble(): undefined {
    return undefined;
  }

  /** Never calls the listener: only the end of the process forgets jobs. */
  onForgotten(): void {}

  async saveMark(mark: number, of: MarkName = "creates"): Promise<void> {
    this.#jobs.marks.set(of, mark);
  }

  async mark(of: MarkName = "creates"): Promise<number | undefined> {
    return this.#jobs.marks.get(of);
  }

  async depth(): Promise<{ waiting: number; active: number }> {
    return this.#jobs.depth;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop(0);
  }
}
