import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Database } from "better-sqlite3";

/** A checkpoint begins each time the log has grown by so many pages of 4 KB: rarely enough to stay out of the way. */
const EVERY_PAGES = 4_096;
/** From here on transactions wait for a checkpoint: only a log of which nothing is left to copy begins at its start again. */
const FULL_PAGES = 2 * EVERY_PAGES;
/** Here SQLite makes one within a commit: the thread failed, or someone else still reads the oldest pages. */
const OVERFLOW_PAGES = 2 * FULL_PAGES;
/** A thread that has nothing to do for so long is ended. */
const IDLE_MS = 30_000;

/** Keeps the log short. */
export type LogLimit = Pick<Checkpoints, "committed" | "room" | "close">;

/**
 * Copies the pages of the write-ahead log into the file, in a thread: 16 MB take tens of milliseconds of processor time, and as long
 * again or longer until the disk has them.
 */
export class Checkpoints {
  readonly #path: string;
  readonly #look;
  #thread: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #pages = 0;
  /** How long the log was when the last one began. */
  #copied = 0;

  constructor(db: Database) {
    this.#path = db.name;
    db.pragma(`wal_autocheckpoint = ${OVERFLOW_PAGES}`);
    this.#look = db.prepare<[], [busy: number, pages: number, copied: number]>("PRAGMA wal_checkpoint(NOOP)").raw();
  }

  /** Called after each commit. Never throws: what the disk says, the next commit hears. */
  committed(): void {
    this.#pages = this.#length();
    if (this.#pages < this.#copied) this.#copied = 0;
    if (this.#running || this.#pages < this.#copied + EVERY_PAGES) return;
    this.#copied = this.#pages;
    this.#running = this.#checkpoint().finally(() => (this.#running = undefined));
  }

  /** What the next transaction waits for; undefined where it need not wait. */
  room(): Promise<void> | undefined {
    return this.#pages < FULL_PAGES ? undefined : this.#running;
  }

  /** Waits for a checkpoint that has begun, and ends the thread. */
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

  /** One that fails is made up for by the next one. */
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
    const ending = import.meta.url.endsWith(".ts") ? ".ts" : ".js";
    const thread = new Worker(new URL(`./checkpoint-main${ending}`, import.meta.url), {
      workerData: this.#path,
      execArgv: ending === ".ts" ? ["--experimental-strip-types"] : [],
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
