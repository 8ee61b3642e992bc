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
import type { MarkName } from "../contract.ts";
import type { Looks } from "./looks.ts";

/** The data of a job: a text, see deliveries.ts and polls.ts. */
export type JobText = string;

/** The part of a BullMQ queue that svcsync uses, on every backend. */
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

/** The part of a BullMQ worker that svcsync uses. */
export interface JobWorker {
  /** Most jobs to run at once. */
  concurrency: number;
  waitUntilReady(): Promise<unknown>;
  /** Takes no more jobs and resolves when the running ones have ended. */
  close(): Promise<void>;
  /** Abandons jobs that did not end with `close`: during an outage BullMQ would wait without limit and renew their locks. */
  abandon(): Promise<void>;
  /** Takes no jobs until {@link resume}. */
  pause(doNotWaitActive: true): Promise<void>;
  resume(): Promise<void>;
}

/** Runs one job. `lost` is aborted when another worker takes over the job; only passed if `tellsLoss` is set. */
export type Work = (job: Job<JobText>, lost?: AbortSignal) => Promise<void>;

export interface WorkerSettings {
  readonly concurrency: number;
  /** Whether work is told when it loses its job. Costs an AbortController per job. */
  readonly tellsLoss: boolean;
}

/** A connected server on which BullMQ keeps its jobs, with the few differences between kinds of server. */
export interface Backend extends AsyncDisposable {
  readonly looks: Looks;
  /**
   * Connects if necessary. Resolves when BullMQ can use the server and the server has just taken a write: a server whose memory is full
   * still answers.
   * @throws {StopError} E_QUEUE_VERSION, and errors of the server or the connection, which BackendHealth classifies.
   */
  probe(): Promise<void>;
  /** Stores a number beside the jobs. This method and `mark` need a probed server. */
  saveMark(mark: number, of: MarkName): Promise<void>;
  mark(of: MarkName): Promise<number | undefined>;
  /**
   * Calls `listener` each time a connection is established, the first time and after a break. `isOther`: to another server than before,
   * which may lack the jobs that were added last.
   */
  onReconnect(listener: (isOther: boolean) => void): void;
  /** This method and `worker` need a server that answered a moment ago. `onError` gets background errors. */
  jobs(name: string, onError: (error: Error) => void): Jobs;
  worker(name: string, work: Work, settings: WorkerSettings, onError: (error: Error) => void): JobWorker;
}

/** Ended jobs are deleted, because the store has their results. */
const defaultJobOptions = { removeOnComplete: true, removeOnFail: true };

/** BullMQ's options on every backend. */
function workerOptions({ concurrency }: WorkerSettings, { lockMs, stalledMs, idleMs }: Looks) {
  return {
    concurrency,
    removeOnComplete: { count: 0 },
    removeOnFail: { count: 0 },
    lockDuration: lockMs,
    stalledInterval: stalledMs,
    /** A job whose process died is retried without limit, because the store counts attempts. */
    maxStalledCount: 2 ** 31 - 1,
    /** Pause after a connection error, in milliseconds. */
    runRetryDelay: 500,
    /** An idle worker asks for jobs after this many seconds, in case its wake-up was lost in an outage. */
    drainDelay: idleMs / 1_000,
  };
}

/** Pause after the server refused a request for a job, in milliseconds. */
const refusedPauseMs = 500;

/** BullMQ creates an AbortController per job if the processor takes three arguments. */
function processor(work: Work, { tellsLoss }: WorkerSettings): Processor<JobText, void> {
  return tellsLoss ? (job, _token, lost) => work(job, lost) : (job) => work(job);
}

/** BullMQ's queues and workers for one kind of server. */
export function onServers<B extends IQueueBackend, C>(
  factory: BackendFactory<B, C>,
  options: QueueOptions<C>,
  looks: Looks,
): Pick<Backend, "jobs" | "worker"> {
  const { Queue, Worker } = withBackend(factory);
  /** BullMQ's events are not used; keep one, because 0 means no limit on PostgreSQL. */
  const quiet = { ...options, streams: { events: { maxLen: 1 } } };

  class PatientWorker extends Worker<JobText, void> implements JobWorker {
    /** BullMQ repeats a refused request for a job at once, tens of thousands of times a second, so fail only after a pause. */
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
      /** Another worker may run a job whose lock was lost: abort its signal here. */
      worker.on("lockRenewalFailed", (jobIds) => {
        for (const jobId of jobIds) worker.cancelJob(jobId, "the job was lost");
      });
      return worker.on("error", onError);
    },
  };
}
