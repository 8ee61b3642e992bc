import type { RecordId, StreamName } from "#model";
import type { MarkName, WakeOptions } from "../contract.ts";

/** Works on jobs. Its promises never reject. */
export interface Worker {
  /** Whether it may begin a delivery now. */
  readonly takesDeliveries: boolean;
  /** Whether it may begin a poll now. */
  readonly takesPolls: boolean;
  deliver(id: RecordId): Promise<void>;
  poll(stream: StreamName): Promise<void>;
}

/**
 * What a server holds for the other kinds of queue: waiting jobs and the marks, in memory. Queues on the same jobs share the work, as
 * processes do that share a server. A job begins only when a worker has a place for it, so one that stops or pauses leaves nothing behind.
 */
export class InProcessJobs {
  readonly #workers = new Set<Worker>();
  readonly #live: RecordId[] = [];
  readonly #backfill: RecordId[] = [];
  #delivering = 0;
  readonly #wantedPolls = new Set<StreamName>();
  readonly #runningPolls = new Set<StreamName>();
  /** Running polls that another one follows. */
  readonly #followedPolls = new Set<StreamName>();
  readonly marks = new Map<MarkName, number>();
  #isTurnComing = false;

  /** The number of waiting and of running deliveries. */
  get depth(): { waiting: number; active: number } {
    return { waiting: this.#live.length + this.#backfill.length, active: this.#delivering };
  }

  addDeliveries(ids: readonly RecordId[], { backfill }: Pick<WakeOptions, "backfill">): void {
    const line = backfill ? this.#backfill : this.#live;
    for (const id of ids) line.push(id);
    this.handOut();
  }

  /** Adds a poll, unless one of the stream waits. During a poll of the stream it is dropped, or follows it. */
  addPoll(stream: StreamName, { afterRunning }: { afterRunning: boolean }): void {
    if (!this.#runningPolls.has(stream)) this.#wantedPolls.add(stream);
    else if (afterRunning) this.#followedPolls.add(stream);
    this.handOut();
  }

  addWorker(worker: Worker): void {
    this.#workers.add(worker);
    this.handOut();
  }

  removeWorker(worker: Worker): void {
    this.#workers.delete(worker);
  }

  /** Makes the workers look for jobs, because one got a place. In a turn of its own, so that timers and answers come between two jobs. */
  handOut(): void {
    if (this.#isTurnComing) return;
    this.#isTurnComing = true;
    setImmediate(() => {
      this.#isTurnComing = false;
      this.#handOutDeliveries();
      this.#handOutPolls();
    });
  }

  #handOutDeliveries(): void {
    while (this.#live.length + this.#backfill.length > 0) {
      const worker = this.#next(({ takesDeliveries }) => takesDeliveries);
      const id = worker && (this.#live.shift() ?? this.#backfill.shift());
      if (worker === undefined || id === undefined) return;
      this.#delivering++;
      void worker.deliver(id).finally(() => {
        this.#delivering--;
        this.handOut();
      });
    }
  }

  #handOutPolls(): void {
    for (const stream of this.#wantedPolls) {
      const worker = this.#next(({ takesPolls }) => takesPolls);
      if (worker === undefined) return;
      this.#wantedPolls.delete(stream);
      this.#runningPolls.add(stream);
      void worker.poll(stream).finally(() => {
        this.#runningPolls.delete(stream);
        if (this.#followedPolls.delete(stream)) this.addPoll(stream, { afterRunning: false });
      });
    }
  }

  /** The next worker in line that takes such a job; it then goes to the end of the line. */
  #next(takes: (worker: Worker) => boolean): Worker | undefined {
    for (const worker of this.#workers) {
      if (!takes(worker)) continue;
      this.#workers.delete(worker);
      this.#workers.add(worker);
      return worker;
    }
    return undefined;
  }
}
