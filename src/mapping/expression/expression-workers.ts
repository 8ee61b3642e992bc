import { fork, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { Socket } from "node:net";
import { threadFile, threadOptions, type Row } from "#model";
import type { Evaluated } from "./evaluation.ts";

/** An expression checks its own limit of 1 s. Work that never checks it, such as a pattern, ends after this processor time. */
const deadlineMs = 2_000;
/** How often a process that did not get that time is waited for again: its machine is paused or busy. */
const mostPauses = 30;
/** The unit of processor time in /proc, on every platform that Node.js runs on. */
const tickMs = 10;
const memoryMb = 128;
/** A runaway expression delays other expressions of its kind, but not all of them. */
const most = 2;
/**
 * Another process is started once one has been busy with its batch for this long: a start costs as much as thousands of
 * evaluations.
 */
const patienceMs = 100;
/** Evaluations per message. */
const together = 32;

export interface Task {
  readonly text: string;
  readonly present: Row;
}

interface Waiting {
  readonly task: Task;
  readonly settle: (evaluated: Evaluated) => void;
  /** It was being evaluated when its process ended. It is evaluated once more, alone, which shows whether it was the cause. */
  readonly isAlone: boolean;
}

/**
 * Processes for expressions that could run away, started on demand. A thread is not enough: a single huge allocation
 * ends the whole process, whatever the limits of the thread. Evaluations that wait at the same time are sent together,
 * because a message costs more than most expressions.
 */
class ExpressionWorkers {
  readonly #waiting: Waiting[] = [];
  readonly #idle: Helper[] = [];
  readonly #busy = new Set<Helper>();
  #isDue = false;
  #timer: NodeJS.Timeout | undefined;

  /** Never throws. */
  evaluate(text: string, present: Row): Promise<Evaluated> {
    return new Promise((settle) => {
      this.#waiting.push({ task: { text, present }, settle, isAlone: false });
      if (this.#isDue) return;
      this.#isDue = true;
      setImmediate(() => {
        this.#isDue = false;
        this.#next();
      });
    });
  }

  #next(): void {
    while (this.#waiting.length > 0) {
      const helper = this.#rested() ?? this.#start();
      if (!helper) return this.#lookAgain();
      void this.#run(helper, this.#take());
    }
  }

  #take(): Waiting[] {
    const alone = this.#waiting.findIndex(({ isAlone }) => isAlone);
    return this.#waiting.splice(0, alone === 0 ? 1 : Math.min(alone === -1 ? Infinity : alone, together));
  }

  /** An idle process that has not ended meanwhile. */
  #rested(): Helper | undefined {
    for (let helper = this.#idle.pop(); helper; helper = this.#idle.pop()) {
      if (helper.failure === undefined) return helper;
    }
    return undefined;
  }

  #start(): Helper | undefined {
    const isNeeded = this.#busy.size === 0 || [...this.#busy].some((helper) => helper.busyMs >= patienceMs);
    return isNeeded && this.#busy.size < most ? new Helper() : undefined;
  }

  #lookAgain(): void {
    if (this.#busy.size === most || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#next();
    }, patienceMs);
  }

  async #run(helper: Helper, batch: readonly Waiting[]): Promise<void> {
    this.#busy.add(helper);
    const answers = await helper.evaluate(batch.map(({ task }) => task));
    this.#busy.delete(helper);
    if (helper.failure === undefined) this.#idle.push(helper);
    const failure = helper.failure ?? "";
    if (answers) for (const [at, { settle }] of batch.entries()) settle(answers[at]!);
    else if (!helper.isReady) for (const { settle } of batch) settle({ failure, isMachines: true });
    else if (batch[0]!.isAlone) batch[0]!.settle({ failure });
    else this.#waiting.unshift(...batch.map((waiting) => ({ ...waiting, isAlone: true })));
    this.#next();
  }
}

export const expressionWorkers = new ExpressionWorkers();

/** One process. It is finished when an expression did not end in time, or used too much memory. */
class Helper {
  readonly #child: ChildProcess;
  readonly #ready: Promise<void>;
  #answer: ((answers: readonly Evaluated[] | undefined) => void) | undefined;
  #sentAt: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  isReady = false;
  /** Why it is finished; undefined while it works. */
  failure: string | undefined;

  constructor() {
    this.#child = fork(threadFile("mapping/expression/expression-main"), [], {
      // It gets no secrets of the environment, and a crash prints nothing on the terminal.
      env: {},
      // The input carries no data; its end tells the worker that the parent is gone.
      stdio: ["pipe", "ignore", "ignore", "ipc"],
      serialization: "advanced",
      // Ctrl+C reaches a whole process group. This process instead ends with its input, when its parent is gone.
      detached: true,
      execArgv: [`--max-old-space-size=${memoryMb}`, ...threadOptions],
    });
    const { stdin } = this.#child;
    if (stdin instanceof Socket) stdin.unref();
    this.#ready = new Promise((resolve) => {
      this.#child.once("message", () => {
        this.isReady = true;
        resolve();
      });
      this.#child.once("exit", () => resolve());
      this.#child.once("error", () => resolve());
    });
    this.#child.on("message", (said: readonly Evaluated[] | "ready") => {
      if (said !== "ready") this.#answer?.(said);
    });
    this.#child.on("exit", (code, signal) =>
      this.#end(this.isReady ? tooMuch : notStarted(`it ended with ${signal ?? code}`)),
    );
    this.#child.on("error", (error) => this.#end(notStarted(error.message)));
  }

  /** How long it has been working on its batch, in milliseconds. */
  get busyMs(): number {
    return this.#sentAt === undefined ? 0 : performance.now() - this.#sentAt;
  }

  /** The results of the tasks, in order; undefined once the process is finished. */
  async evaluate(tasks: readonly Task[]): Promise<readonly Evaluated[] | undefined> {
    const answered = new Promise<readonly Evaluated[] | undefined>((resolve) => {
      this.#answer = resolve;
    });
    this.#hold(true);
    await this.#ready;
    if (this.failure !== undefined) return undefined;
    this.#watch(processorMs(this.#child.pid) ?? 0, mostPauses);
    this.#sentAt = performance.now();
    this.#child.send(tasks);
    const answers = await answered;
    this.#sentAt = undefined;
    clearTimeout(this.#timer);
    this.#hold(false);
    return answers;
  }

  /**
   * Ends the process once it has used too much processor time since `begunMs` without an answer. The wall clock alone proves nothing,
   * because the machine may have been paused.
   */
  #watch(begunMs: number, pauses: number): void {
    this.#timer = setTimeout(() => {
      const usedMs = (processorMs(this.#child.pid) ?? Infinity) - begunMs;
      if (usedMs < deadlineMs * ownShare && pauses > 0) this.#watch(begunMs, pauses - 1);
      else this.#end(tooLong);
    }, deadlineMs);
  }

  /** Keeps this process alive only while work is pending. */
  #hold(isHeld: boolean): void {
    const { channel } = this.#child;
    if (isHeld) {
      this.#child.ref();
      channel?.ref();
    } else {
      this.#child.unref();
      channel?.unref();
    }
  }

  #end(failure: string): void {
    this.failure ??= failure;
    this.#child.kill("SIGKILL");
    this.#answer?.(undefined);
  }
}

/** The share of the limit from which on the time was the expression's own. */
const ownShare = 0.8;

/** The processor time that a process has used; undefined where the system does not tell. */
function processorMs(pid: number | undefined): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name of the program, in brackets, may hold spaces. User and system time are the 12th and 13th field after it.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) * tickMs;
  } catch {
    return undefined;
  }
}

const tooMuch = `the expression needed more than ${memoryMb} MB and was stopped: let it make smaller texts and lists`;
const tooLong =
  `the expression did not end within ${deadlineMs / 1000} s and was stopped: ` +
  "let no pattern repeat what itself repeats, as (a+)+ does, or shorten the text first, with $substring";

function notStarted(why: string): string {
  return `the process that evaluates the expression did not start (${why}): is there memory, and room for a process more?`;
}
