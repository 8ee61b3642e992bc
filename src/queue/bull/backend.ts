import {
  withBackend,
  type BackendFactory,
  type IQueueBackend,
  type Job,
  type Processor,
  type Queue,
  type QueueOptions,
} from "bullmq";
import { sleep } from "#model";
import type { Looks } from "./looks.ts";

/** What a job of ours holds: a text, see record-text.ts and polls.ts. */
export type JobText = string;

/** The part of a BullMQ queue that is used here, whatever backend it runs on. */
export type Jobs = Pick<
  Queue<JobText>,
  | "addBulk"
  | "close"
  | "getJobCounts"
  | "getJobSchedulers"
  | "removeJobScheduler"
  | "upsertJobScheduler"
  | "waitUntilReady"
>;

/** The part of a BullMQ worker that is used here. */
export interface JobWorker {
  /** Jobs that run at once, at most. */
  concurrency: number;
  waitUntilReady(): Promise<unknown>;
  /** Takes no more jobs and resolves when the running ones have ended. */
  close(): Promise<void>;
  /** Leaves alone what did not end with `close`: during an outage BullMQ waits without an end, and renews the locks of its jobs. */
  abandon(): Promise<void>;
  /** Takes no jobs until {@link resume}. */
  pause(doNotWaitActive: true): Promise<void>;
  resume(): Promise<void>;
}

/** Runs one job. `lost` is aborted when the job was lost to another worker, where work asked to be told. */
export type Work = (job: Job<JobText>, lost?: AbortSignal) => Promise<void>;

export interface WorkerSettings {
  readonly concurrency: number;
  /** Whether work is told of the loss of its job. Costs a controller for each job. */
  readonly tellsLoss: boolean;
}

/** Where BullMQ keeps its jobs: one connected server, with the few things that differ between servers. */
export interface Backend extends AsyncDisposable {
  readonly looks: Looks;
  /**
   * Connects if need be, and resolves when the server is one that BullMQ can use and has just taken a write: a server
   * whose memory is full still answers.
   * @throws {StopError} E_QUEUE_VERSION, and whatever the server or the connection say: Reach judges it.
   */
  probe(): Promise<void>;
  /** One number beside the jobs. Both need a server that was probed. */
  saveMark(mark: number): Promise<void>;
  mark(): Promise<number | undefined>;
  /**
   * Calls `listener` each time a connection is there, the first time and after it broke. `isOther`: to another server than before,
   * which may lack the jobs that were added last.
   */
  onReconnect(listener: (isOther: boolean) => void): void;
  /** Both need a server that answered a moment ago. `onError` hears what goes wrong in the background. */
  jobs(name: string, onError: (error: Error) => void): Jobs;
  worker(name: string, work: Work, settings: WorkerSettings, onError: (error: Error) => void): JobWorker;
}

/** Nothing is kept of a job that has ended: what happened is in the store. */
const defaultJobOptions = { removeOnComplete: true, removeOnFail: true };

/** How BullMQ is set up on every backend, and why. */
function workerOptions({ concurrency }: WorkerSettings, { lockMs, stalledMs, idleMs }: Looks) {
  return {
    concurrency,
    removeOnComplete: { count: 0 },
    removeOnFail: { count: 0 },
    lockDuration: lockMs,
    stalledInterval: stalledMs,
    /** A job whose process died comes up again however often that happens: the store counts attempts. */
    maxStalledCount: 2 ** 31 - 1,
    /** After an error of the connection, in milliseconds. */
    runRetryDelay: 500,
    /** An idle worker asks after this many seconds, in case the call that wakes it was lost in an outage. */
    drainDelay: idleMs / 1_000,
  };
}

/** Between two requests for a job that the server refused, in milliseconds. */
const refusedPauseMs = 500;

/** BullMQ makes a controller for each job as soon as the function it calls takes three arguments. */
function processor(work: Work, { tellsLoss }: WorkerSettings): Processor<JobText, void> {
  return tellsLoss ? (job, _token, lost) => work(job, lost) : (job) => work(job);
}

/** BullMQ's queues and workers on the servers of one kind. */
export function onServers<B extends IQueueBackend, C>(
  factory: BackendFactory<B, C>,
  options: QueueOptions<C>,
  looks: Looks,
): Pick<Backend, "jobs" | "worker"> {
  const { Queue, Worker } = withBackend(factory);
  /** BullMQ's events are not used. On PostgreSQL it takes 0 for no limit. */
  const quiet = { ...options, streams: { events: { maxLen: 1 } } };

  class PatientWorker extends Worker<JobText, void> implements JobWorker {
    /** BullMQ repeats a refused request for a job at once, tens of thousands of times a second: this takes its time to fail. */
    protected override async moveToActive(token: string, name?: string) {
      try {
        return await super.moveToActive(token, name);
      } catch (error) {
        await sleep(refusedPauseMs);
        throw error;
      }
    }

    abandon(): Promise<void> {
      return this.lockManager.close();
    }
  }

  return {
    jobs: (name, onError) => new Queue<JobText>(name, { ...quiet, defaultJobOptions }).on("error", onError),
    worker(name, work, settings, onError) {
      const own = workerOptions(settings, looks);
      const worker = new PatientWorker(name, processor(work, settings), { ...quiet, ...own });
      /** A job that could not be held any longer may run elsewhere: its signal is aborted. */
      worker.on("lockRenewalFailed", (jobIds) => {
        for (const jobId of jobIds) worker.cancelJob(jobId, "the job was lost");
      });
      return worker.on("error", onError);
    },
  };
}
