import type { Database } from "better-sqlite3";
import { concernsOneStep, storeClosed, storeFailure } from "./failures.ts";

interface Step {
  readonly durable: boolean;
  /** Does the step's work; the last run counts. */
  readonly work: () => void;
  readonly resolve: () => void;
  readonly reject: (reason: Error) => void;
}

/** How a step ended: without an error, or with this one. */
type Ended = { readonly error?: unknown };

export interface StepOptions {
  /** The step must survive a power cut, not only a kill -9: its commit waits for the disk. */
  readonly durable?: boolean;
}

/**
 * Runs the steps that were asked for in one turn of the event loop in one transaction, in order: sixty-four workers share
 * one wait for the disk. A step's promise settles after the commit, so what it promises is kept. A step that fails
 * leaves no trace and fails alone; when the disk fails, all of them do and none is recorded.
 */
export class GroupCommit {
  readonly #db: Database;
  #steps: Step[] = [];
  #synchronous: "FULL" | "NORMAL" | undefined;
  #closed = false;

  constructor(db: Database) {
    this.#db = db;
  }

  /** `work` is synchronous, touches only the database, and may run twice (the first run is then rolled back). */
  run<T>(work: () => T, { durable = false }: StepOptions = {}): Promise<T> {
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
      });
      if (this.#steps.length === 1) setImmediate(() => this.#commit());
    });
  }

  /** Commits what was asked for and refuses what comes later. */
  close(): void {
    this.#closed = true;
    this.#commit();
  }

  #commit(): void {
    const steps = this.#steps;
    if (steps.length === 0) return;
    this.#steps = [];
    let ended: readonly Ended[];
    try {
      this.#setSynchronous(steps.some((step) => step.durable) ? "FULL" : "NORMAL");
      ended = this.#together(steps) ?? this.#eachAlone(steps);
    } catch (thrown) {
      const failure = storeFailure(thrown, this.#db.name);
      for (const step of steps) step.reject(failure);
      return;
    }
    for (const [at, step] of steps.entries()) {
      const end = ended[at]!;
      if ("error" in end) step.reject(storeFailure(end.error, this.#db.name));
      else step.resolve();
    }
  }

  /** SQLite ignores a change of this setting inside a transaction, so it is made before. */
  #setSynchronous(wanted: "FULL" | "NORMAL"): void {
    if (this.#synchronous === wanted) return;
    this.#db.pragma(`synchronous = ${wanted}`);
    this.#synchronous = wanted;
  }

  /** The usual case, without savepoints: undefined when a step failed and everything was rolled back. */
  #together(steps: readonly Step[]): Ended[] | undefined {
    return this.#transaction(() => {
      const ended: Ended[] = [];
      for (const step of steps) {
        try {
          step.work();
          ended.push({});
        } catch (thrown) {
          if (!concernsOneStep(thrown)) throw thrown;
          return undefined;
        }
      }
      return ended;
    });
  }

  #eachAlone(steps: readonly Step[]): Ended[] {
    return this.#transaction(() => steps.map((step) => this.#inSavepoint(step)))!;
  }

  #inSavepoint(step: Step): Ended {
    this.#db.exec("SAVEPOINT step");
    try {
      step.work();
      this.#db.exec("RELEASE step");
      return {};
    } catch (thrown) {
      if (!concernsOneStep(thrown)) throw thrown;
      this.#db.exec("ROLLBACK TO step; RELEASE step");
      return { error: thrown };
    }
  }

  #transaction<T>(work: () => T | undefined): T | undefined {
    this.#db.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      this.#db.exec(result === undefined ? "ROLLBACK" : "COMMIT");
      return result;
    } catch (thrown) {
      // A full disk or an I/O error may have rolled back already.
      if (this.#db.inTransaction) this.#db.exec("ROLLBACK");
      throw thrown;
    }
  }
}
