import { asError, RetryError, systemClock, type Clock, type RecordId, type StreamName } from "#model";
import type { Logger } from "#telemetry";
import type { Backend } from "./backend.ts";
import type { MarkName, Queue, QueueHandlers, QueueKind, StartOptions, WakeOptions } from "../contract.ts";
import { Workers } from "./workers.ts";
import { addWakeUps, countJobs } from "./deliveries.ts";
import { loggedHandlers } from "../logged-handlers.ts";
import { JobQueues } from "./job-queues.ts";
import { addPolls, applyIntervals, type PollSchedule } from "./polls.ts";
import { BackendHealth } from "./backend-health.ts";

export interface BullQueueDeps {
  readonly kind: QueueKind;
  readonly backend: Backend;
  /** The queue's address for people. */
  readonly label: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Ends the server that the backend runs on; called last. */
  readonly close?: () => Promise<void>;
}

/** Implements the queue on BullMQ. */
export class BullQueue implements Queue {
  readonly kind: QueueKind;
  readonly #deps: BullQueueDeps;
  readonly #reach: BackendHealth;
  readonly #lines: JobQueues;
  #crew: Workers | undefined;
  #isDelivering = true;
  #concurrency: number | undefined;
  #schedule: PollSchedule | undefined;
  /** The streams whose first poll was requested, with their intervals. */
  #begun: PollSchedule = new Map();
  #isRepairing = false;
  /** Intervals whose missing scheduler was created. Kept until reported, even if the answer came too late. */
  readonly #made = new Set<number>();
  /** Whether another server answers than before. Kept until reported. */
  #mayHaveForgotten = false;
  readonly #onForgotten: (() => void)[] = [];
  #scheduleCheck: NodeJS.Timeout | undefined;
  #closed: Promise<void> | undefined;

  constructor(deps: BullQueueDeps) {
    this.kind = deps.kind;
    this.#deps = deps;
    this.#reach = new BackendHealth(deps.backend, deps);
    this.#lines = new JobQueues(deps.backend, this.#reach);
    this.#reach.onReturn(() => this.#checkSchedule());
    deps.backend.onReconnect((isOther) => {
      this.#mayHaveForgotten ||= isOther;
      this.#checkSchedule();
    });
  }

  async wake(ids: readonly RecordId[], options: WakeOptions): Promise<void> {
    if (ids.length === 0) return;
    await this.#reach.call(async () => addWakeUps((await this.#lines.get()).deliveries, ids, options));
  }

  async schedulePolls(polls: PollSchedule): Promise<void> {
    this.#schedule = new Map(polls);
    this.#scheduleCheck ??= setInterval(() => this.#checkSchedule(), this.#deps.backend.looks.scheduleMs).unref();
    try {
      await this.#applySchedule();
    } catch (error) {
      /** The schedule is applied when the backend is back or takes writes again. */
      if (!(error instanceof RetryError)) throw error;
    }
  }

  async pollNow(stream: StreamName): Promise<void> {
    await this.#addPolls([stream], { afterRunning: true });
  }

  async start(handlers: QueueHandlers, { concurrency, polls = true }: StartOptions): Promise<void> {
    const { backend, logger } = this.#deps;
    const polledEvery = (everyMs: number) =>
      [...(this.#schedule ?? [])].filter(([, of]) => of.everyMs === everyMs).map(([stream]) => stream);
    const isDelivering = this.#isDelivering;
    const own = {
      handlers: loggedHandlers(handlers, logger),
      concurrency: this.#concurrency ?? concurrency,
      polledEvery,
      isDelivering,
    };
    const wake: Queue["wake"] = (...of) => this.wake(...of);
    this.#crew = new Workers({ backend, reach: this.#reach, lines: this.#lines, logger, wake, ...own });
    if (polls) this.#crew.startPolls();
    await this.#hired();
  }

  async startPolls(): Promise<void> {
    this.#crew?.startPolls();
    await this.#hired();
  }

  async stopPolls(): Promise<boolean> {
    this.#forgetSchedule();
    return (await this.#crew?.stopPolls()) ?? true;
  }

  async setDelivering(isOn: boolean): Promise<void> {
    this.#isDelivering = isOn;
    await this.#crew?.setDelivering(isOn);
  }

  underWay(): number {
    return this.#crew?.underWay ?? 0;
  }

  setConcurrency(concurrency: number): void {
    if (concurrency === this.#concurrency) return;
    this.#concurrency = concurrency;
    this.#crew?.setConcurrency(concurrency);
  }

  async #hired(): Promise<void> {
    const isReachable = await this.ping().then(
      () => true,
      () => false,
    );
    if (isReachable) await this.#crew?.hired();
  }

  async stop(graceMs: number): Promise<void> {
    this.#forgetSchedule();
    await this.#crew?.stop(graceMs);
    this.#crew = undefined;
  }

  ping(): Promise<void> {
    return this.#reach.probe();
  }

  trouble(): string | undefined {
    return this.#reach.trouble;
  }

  onForgotten(listener: () => void): void {
    this.#onForgotten.push(listener);
  }

  async saveMark(mark: number, of: MarkName = "creates"): Promise<void> {
    await this.#reach.call(() => this.#deps.backend.saveMark(mark, of));
  }

  async mark(of: MarkName = "creates"): Promise<number | undefined> {
    return await this.#reach.call(() => this.#deps.backend.mark(of));
  }

  async depth(): Promise<{ waiting: number; active: number }> {
    return await this.#reach.call(async () => countJobs((await this.#lines.get()).deliveries));
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#reach.close();
    await this.stop(0);
    await this.#lines.close();
    await this.#deps.backend[Symbol.asyncDispose]();
    await this.#deps.close?.();
  }

  /** Stops checking the schedule, which stays in the queue. */
  #forgetSchedule(): void {
    clearInterval(this.#scheduleCheck);
    this.#scheduleCheck = undefined;
    this.#schedule = undefined;
    this.#begun = new Map();
  }

  async #addPolls(streams: readonly StreamName[], options: { afterRunning: boolean }): Promise<void> {
    await this.#reach.call(async () => addPolls((await this.#lines.get()).polls, streams, options));
  }

  /** Applies the schedule. Returns the streams whose schedule was lost. */
  async #applySchedule(): Promise<StreamName[]> {
    const schedule = this.#schedule;
    if (schedule === undefined) return [];
    // BullMQ uses the machine's clock, even if the daemon uses another one.
    const now = systemClock.now();
    const intervals = new Set([...schedule.values()].map(({ everyMs }) => everyMs));
    await this.#reach.call(async () =>
      applyIntervals((await this.#lines.get()).polls, intervals, { now, made: this.#made }),
    );
    const made = new Set(this.#made);
    const begun = this.#begun;
    const streamsOf = (isBegun: boolean, isMade: boolean) =>
      [...schedule]
        .filter(
          ([stream, { everyMs }]) =>
            (begun.get(stream)?.everyMs === everyMs) === isBegun && made.has(everyMs) === isMade,
        )
        .map(([stream]) => stream);
    /** An interval with an existing scheduler ticks only when its time comes, but a new stream needs its first poll now. */
    await this.#addPolls(streamsOf(false, false), { afterRunning: false });
    this.#begun = schedule;
    this.#made.clear();
    return streamsOf(true, true);
  }

  /** Runs one check at a time, because the end of an outage is noticed in two ways. */
  #checkSchedule(): void {
    if (this.#isRepairing) return;
    this.#isRepairing = true;
    void this.#repairSchedule().finally(() => (this.#isRepairing = false));
  }

  /** Creates the schedulers again after the backend lost its jobs (restarted empty, flushed). */
  async #repairSchedule(): Promise<void> {
    const { logger } = this.#deps;
    try {
      const made = await this.#applySchedule();
      if (made.length > 0) logger.warn({ streams: made }, "scheduled polls again that the queue had lost");
      else if (this.#mayHaveForgotten) logger.info({}, "queue moved to another server");
      else return;
      this.#mayHaveForgotten = false;
      for (const listener of this.#onForgotten) listener();
    } catch (error) {
      logger.debug({ err: asError(error) }, "could not check the schedule of polls");
    }
  }
}
