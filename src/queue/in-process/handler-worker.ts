import { within, type RecordId, type StreamName } from "#model";
import type { QueueHandlers } from "../contract.ts";
import { abortGraceMs, pollGraceMs } from "../grace.ts";
import type { InProcessJobs, Worker } from "./jobs.ts";

const late = () => false;

export interface HandlerWorkerDeps {
  readonly jobs: InProcessJobs;
  /** Handlers that never throw. */
  readonly handlers: QueueHandlers;
  readonly concurrency: number;
  readonly isDelivering: boolean;
}

/** Hands jobs to the handlers of one queue, and knows which of them run. */
export class HandlerWorker implements Worker {
  readonly #jobs: InProcessJobs;
  readonly #handlers: QueueHandlers;
  #concurrency: number;
  #isDelivering: boolean;
  readonly #stopping = new AbortController();
  /** Undefined before polls are handed out; aborted when they no longer are. */
  #polling: AbortController | undefined;
  readonly #deliveries = new Set<Promise<void>>();
  readonly #polls = new Set<Promise<void>>();

  constructor({ jobs, handlers, concurrency, isDelivering }: HandlerWorkerDeps) {
    this.#jobs = jobs;
    this.#handlers = handlers;
    this.#concurrency = concurrency;
    this.#isDelivering = isDelivering;
    jobs.addWorker(this);
  }

  get takesDeliveries(): boolean {
    return this.#isDelivering && this.#deliveries.size < this.#concurrency;
  }

  get takesPolls(): boolean {
    return this.#polling?.signal.aborted === false;
  }

  get underWay(): number {
    return this.#deliveries.size;
  }

  deliver(id: RecordId): Promise<void> {
    return keepUntilEnd(this.#deliveries, this.#handlers.deliver(id, this.#stopping.signal));
  }

  poll(stream: StreamName): Promise<void> {
    const { signal } = this.#polling ?? this.#stopping;
    return keepUntilEnd(this.#polls, this.#handlers.poll(stream, signal));
  }

  startPolls(): void {
    this.#polling ??= new AbortController();
    this.#jobs.handOut();
  }

  /** Takes no more polls and aborts running ones. Resolves to whether they ended in time. */
  async stopPolls(graceMs = pollGraceMs): Promise<boolean> {
    this.#polling?.abort();
    return within(graceMs, allEnded(this.#polls), late);
  }

  setDelivering(isOn: boolean): void {
    this.#isDelivering = isOn;
    this.#jobs.handOut();
  }

  setConcurrency(concurrency: number): void {
    this.#concurrency = concurrency;
    this.#jobs.handOut();
  }

  /** Takes no more jobs and aborts running polls. Waits up to `graceMs` for running deliveries, then aborts them. */
  async stop(graceMs: number): Promise<void> {
    this.#jobs.removeWorker(this);
    const delivered = allEnded(this.#deliveries);
    await Promise.all([within(graceMs, delivered, late), this.stopPolls(Math.min(graceMs, pollGraceMs))]);
    this.#stopping.abort();
    await within(abortGraceMs, delivered, late);
  }
}

function keepUntilEnd(running: Set<Promise<void>>, work: Promise<void>): Promise<void> {
  const kept: Promise<void> = work.finally(() => running.delete(kept));
  running.add(kept);
  return kept;
}

async function allEnded(running: ReadonlySet<Promise<void>>): Promise<boolean> {
  await Promise.all(running);
  return true;
}
