import { fork, type ChildProcess } from "node:child_process";
import { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import type { Row } from "#model";
import type { Evaluated } from "./evaluation.ts";

/** The limit that holds inside an expression is 1 s; what does not even look at it, as a pattern, ends here. */
const deadlineMs = 2_000;
const memoryMb = 128;
/** One that runs away delays the other expressions of its kind, not all of them. */
const most = 2;

export interface Task {
  readonly text: string;
  readonly present: Row;
}

interface Waiting extends Task {
  readonly settle: (evaluated: Evaluated) => void;
}

/**
 * Processes for expressions that could run away; started by the first of them. A thread would not do: one allocation that is
 * too large ends the process that it is in, whatever limits the thread has.
 */
class ExpressionWorkers {
  readonly #waiting: Waiting[] = [];
  readonly #idle: Helper[] = [];
  #count = 0;

  /** Never throws. */
  evaluate(text: string, present: Row): Promise<Evaluated> {
    return new Promise((settle) => {
      this.#waiting.push({ text, present, settle });
      this.#next();
    });
  }

  #next(): void {
    if (this.#waiting.length === 0) return;
    const helper = this.#rested() ?? this.#start();
    if (helper) void this.#run(helper, this.#waiting.shift()!);
  }

  /** One that has nothing to do, and did not end meanwhile. */
  #rested(): Helper | undefined {
    for (let helper = this.#idle.pop(); helper; helper = this.#idle.pop()) {
      if (!helper.isOver) return helper;
      this.#count--;
    }
    return undefined;
  }

  #start(): Helper | undefined {
    if (this.#count === most) return undefined;
    this.#count++;
    return new Helper();
  }

  async #run(helper: Helper, { settle, ...task }: Waiting): Promise<void> {
    const evaluated = await helper.evaluate(task);
    if (helper.isOver) this.#count--;
    else this.#idle.push(helper);
    settle(evaluated);
    this.#next();
  }
}

export const expressionWorkers = new ExpressionWorkers();

/** One process. It is over when an expression did not end in time, or took more memory than there is. */
class Helper {
  readonly #child: ChildProcess;
  readonly #ready: Promise<void>;
  #answer: ((evaluated: Evaluated) => void) | undefined;
  #isReady = false;
  /** Why it is over. */
  #failure: string | undefined;

  constructor() {
    const file = helperFile();
    this.#child = fork(file, [], {
      // No secret of the environment, and no word of a crash on the terminal.
      env: {},
      // The input carries nothing; its end tells that nobody waits any more.
      stdio: ["pipe", "ignore", "ignore", "ipc"],
      serialization: "advanced",
      // Ctrl+C reaches a whole group: this one ends with its input, when the process that waits for it is gone.
      detached: true,
      execArgv: [`--max-old-space-size=${memoryMb}`, ...(file.endsWith(".ts") ? ["--experimental-strip-types"] : [])],
    });
    const { stdin } = this.#child;
    if (stdin instanceof Socket) stdin.unref();
    this.#ready = new Promise((resolve) => {
      this.#child.once("message", () => {
        this.#isReady = true;
        resolve();
      });
      this.#child.once("exit", () => resolve());
      this.#child.once("error", () => resolve());
    });
    this.#child.on("message", (said: Evaluated | "ready") => {
      if (said !== "ready") this.#answer?.(said);
    });
    this.#child.on("exit", (code, signal) =>
      this.#end(this.#isReady ? tooMuch : notStarted(`it ended with ${signal ?? code}`)),
    );
    this.#child.on("error", (error) => this.#end(notStarted(error.message)));
  }

  get isOver(): boolean {
    return this.#failure !== undefined;
  }

  async evaluate(task: Task): Promise<Evaluated> {
    const answered = new Promise<Evaluated>((resolve) => {
      this.#answer = resolve;
    });
    this.#hold(true);
    await this.#ready;
    if (this.#failure !== undefined) return { failure: this.#failure };
    const timer = setTimeout(() => this.#end(tooLong), deadlineMs);
    this.#child.send(task);
    const evaluated = await answered;
    clearTimeout(timer);
    this.#hold(false);
    return evaluated;
  }

  /** Only work keeps the process alive that waits for it. */
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
    this.#failure ??= failure;
    this.#child.kill("SIGKILL");
    this.#answer?.({ failure: this.#failure });
  }
}

const tooMuch = `the expression needed more than ${memoryMb} MB and was stopped: let it make smaller texts and lists`;
const tooLong =
  `the expression did not end within ${deadlineMs / 1000} s and was stopped: ` +
  "let no pattern repeat what itself repeats, as (a+)+ does, or shorten the text first, with $substring";

function notStarted(why: string): string {
  return `the process that evaluates the expression did not start (${why}): is there memory, and room for a process more?`;
}

/** Beside this file, as source or as built. */
function helperFile(): string {
  const ending = import.meta.url.endsWith(".ts") ? ".ts" : ".js";
  return fileURLToPath(new URL(`./expression-main${ending}`, import.meta.url));
}
