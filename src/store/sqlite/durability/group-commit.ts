import type { Database } from "better-sqlite3";
import type { LogLimit } from "./checkpoints.ts";
import type { Disk } from "./disk-sync.ts";
import { threadMs } from "../thread-ms.ts";
import { isSqliteStepFault, storeClosed, sqliteFailure } from "./failures.ts";

interface Step {
  readonly durable: boolean;
  /** Does the step's work. If it runs twice, the last run counts. */
  readonly work: () => void;
  readonly resolve: () => void;
  readonly reject: (reason: Error) => void;
  readonly took: ((ms: number) => void) | undefined;
}

/** How a step ended: with this error, or without one. */
type Ended = { readonly error?: unknown };

export interface StepOptions {
  /** Whether the step must survive a power cut, not only a kill -9. Its promise then waits for the disk too. */
  readonly durable?: boolean;
  /** Gets the processor time of the whole transaction, in milliseconds, before the promise settles. */
  readonly took?: (ms: number) => void;
}

/** How much processor time steps may take before the next ones wait for another transaction, in milliseconds. */
const LONGEST_MS = 8;

/**
 * Runs all steps requested within two turns of the event loop in one transaction, in order. The second turn collects steps of callers whose
 * network answers arrive meanwhile (a quarter fewer commits under load). If the first ones take long, the others have a transaction of their own,
 * in a later turn. A step's promise settles after the commit, that of a durable step
 * after it is on disk. In between, other readers may see the step, but it is not reported as done. A step that fails leaves no trace and
 * fails alone; if the disk fails, all steps fail.
 */
export class GroupCommit {
  readonly #db: Database;
  readonly #disk: Disk;
  readonly #checkpoints: LogLimit;
  readonly #seal: () => void;
  readonly #now: () => number;
  #steps: Step[] = [];
  #closed = false;

  /**
   * `disk` holds the log that a commit writes to, `checkpoints` limits its length, and `seal` runs at the end of every transaction. `now` is the
   * clock by which turns are short.
   */
  constructor(db: Database, disk: Disk, checkpoints: LogLimit, seal: () => void, now: () => number = threadMs) {
    this.#db = db;
    this.#disk = disk;
    this.#checkpoints = checkpoints;
    this.#seal = seal;
    this.#now = now;
  }

  /** `work` is synchronous, touches only the database, and may run twice (the first run is then rolled back). */
  run<T>(work: () => T, { durable = false, took }: StepOptions = {}): Promise<T> {
    if (this.#closed) return Promise.reject(storeClosed(this.#db.name));
    return new Promise<T>((resolve, reject) => {
      let done: { readonly value: T } | undefined;
      this.#steps.push({
        durable,
        work: () => {
          done = { value: work() };
        },
        resolve: () => done && resolve(done.value),
        reject,
        took,
      });
      if (this.#steps.length === 1) setImmediate(() => setImmediate(() => this.#commitWithRoom()));
    });
  }

  /** Commits the requested steps, refuses later ones, and resolves when everything is on disk. */
  async close(): Promise<void> {
    this.#closed = true;
    while (this.#steps.length > 0) this.#commit();
    await this.#disk.close();
    await this.#checkpoints.close();
  }

  #commitWithRoom(): void {
    const room = this.#checkpoints.room();
    if (room === undefined) this.#commit();
    else void room.then(() => this.#commit());
  }

  #commit(): void {
    const steps = this.#steps;
    if (steps.length === 0) return;
    this.#steps = [];
    let ended: readonly Ended[];
    const began = this.#now();
    try {
      ended = this.#together(steps) ?? this.#eachAlone(steps);
    } catch (thrown) {
      return this.#reject(steps, thrown);
    }
    const tookMs = this.#now() - began;
    if (ended.length < steps.length) {
      this.#steps = steps.slice(ended.length);
      setImmediate(() => this.#commitWithRoom());
    }
    this.#checkpoints.committed();
    const durable: Step[] = [];
    for (const [at, end] of ended.entries()) {
      const step = steps[at]!;
      step.took?.(tookMs);
      if ("error" in end) step.reject(sqliteFailure(end.error, this.#db.name));
      else if (step.durable) durable.push(step);
      else step.resolve();
    }
    if (durable.length > 0)
      this.#disk.reached().then(
        () => durable.forEach((step) => step.resolve()),
        (thrown: unknown) => this.#reject(durable, thrown),
      );
  }

  #reject(steps: readonly Step[], thrown: unknown): void {
    const failure = sqliteFailure(thrown, this.#db.name);
    for (const step of steps) step.reject(failure);
  }

  /** The usual case, without savepoints. Undefined if a step failed and everything was rolled back. */
  #together(steps: readonly Step[]): Ended[] | undefined {
    return this.#transaction(() =>
      this.#untilLong(steps, (step) => {
        try {
          step.work();
          return {};
        } catch (thrown) {
          if (!isSqliteStepFault(thrown)) throw thrown;
          return undefined;
        }
      }),
    );
  }

  #eachAlone(steps: readonly Step[]): Ended[] {
    return this.#transaction(() => this.#untilLong(steps, (step) => this.#inSavepoint(step)))!;
  }

  /** How the first steps ended, at least one; undefined as soon as `run` gives that. */
  #untilLong(steps: readonly Step[], run: (step: Step) => Ended | undefined): Ended[] | undefined {
    const began = this.#now();
    const ended: Ended[] = [];
    for (const step of steps) {
      if (ended.length > 0 && this.#now() - began >= LONGEST_MS) break;
      const end = run(step);
      if (end === undefined) return undefined;
      ended.push(end);
    }
    return ended;
  }

  #inSavepoint(step: Step): Ended {
    this.#db.exec("SAVEPOINT step");
    try {
      step.work();
      this.#db.exec("RELEASE step");
      return {};
    } catch (thrown) {
      if (!isSqliteStepFault(thrown)) throw thrown;
      this.#db.exec("ROLLBACK TO step; RELEASE step");
      return { error: thrown };
    }
  }

  #transaction<T>(work: () => T | undefined): T | undefined {
    this.#db.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      if (result !== undefined) this.#seal();
      this.#db.exec(result === undefined ? "ROLLBACK" : "COMMIT");
      return result;
    } catch (thrown) {
      // A full disk or an I/O error may already have rolled back.
      if (this.#db.inTransaction) this.#db.exec("ROLLBACK");
      throw thrown;
    }
  }
}
