import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Database } from "better-sqlite3";
import { threadFile, threadOptions } from "#model";

/** Log growth between two checkpoints, in pages of 4 KB: rare enough not to disturb other work. */
const EVERY_PAGES = 4_096;
/** Log length at which transactions wait for a checkpoint: only a log that was copied completely is reused from its start. */
const FULL_PAGES = 2 * EVERY_PAGES;
/** Log length at which SQLite makes a checkpoint within a commit: the thread failed, or someone still reads the oldest pages. */
const OVERFLOW_PAGES = 2 * FULL_PAGES;
/** How long an idle thread is kept. */
const IDLE_MS = 30_000;

/** Limits the length of the log. */
export type LogLimit = Pick<Checkpoints, "committed" | "room" | "close">;

/**
 * Copies the pages of the write-ahead log into the file, in a thread. 16 MB take tens of milliseconds of processor time, and at least as
 * long again until they are on disk.
 */
export class Checkpoints {
  readonly #path: string;
  readonly #look;
  #thread: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #pages = 0;
  /** The log's length when the last checkpoint began. */
  #copied = 0;

  constructor(db: Database) {
    this.#path = db.name;
    db.pragma(`wal_autocheckpoint = ${OVERFLOW_PAGES}`);
    this.#look = db.prepare<[], [busy: number, pages: number, copied: number]>("PRAGMA wal_checkpoint(NOOP)").raw();
  }

  /** Call after each commit. Never throws: the next commit reports an error of the disk. */
  committed(): void {
    this.#pages = this.#length();
    if (this.#pages < this.#copied) this.#copied = 0;
    if (this.#running || this.#pages < this.#copied + EVERY_PAGES) return;
    this.#copied = this.#pages;
    this.#running = this.#checkpoint().finally(() => (this.#running = undefined));
  }

  /** The checkpoint that the next transaction must wait for; undefined if it need not wait. */
  room(): Promise<void> | undefined {
    return this.#pages < FULL_PAGES ? undefined : this.#running;
  }

  /** Waits for a running checkpoint and ends the thread. */
  async close(): Promise<void> {
    await this.#running;
    await this.#end();
  }

  #length(): number {
    try {
      return this.#look.get()?.[1] ?? 0;
    } catch {
      return 0;
    }
  }

  /** Ignores a failure: the next checkpoint copies the same pages. */
  async #checkpoint(): Promise<void> {
    clearTimeout(this.#idle);
    const thread = (this.#thread ??= this.#start());
    thread.ref();
    try {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      thread.postMessage("begin");
      await once(thread, "message");
      thread.unref();
      this.#idle = setTimeout(() => void this.#end(), IDLE_MS).unref();
    } catch {
      this.#thread = undefined;
    }
  }

  #start(): Worker {
    const thread = new Worker(threadFile("store/sqlite/durability/checkpoint-main"), {
      workerData: this.#path,
      execArgv: [...threadOptions],
    });
    return thread.on("error", () => undefined);
  }

  async #end(): Promise<void> {
    clearTimeout(this.#idle);
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.terminate();
  }
}
