import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** A part of the bench in a process of its own, so that no part borrows another's processor time or memory. */
export class Child implements AsyncDisposable {
  readonly #process: ChildProcess;

  /** `file` lies beside this one; `execArgv` are options of Node, those of this process if not given. */
  constructor(file: string, args: readonly string[] = [], execArgv: readonly string[] = process.execArgv) {
    this.#process = fork(fileURLToPath(new URL(file, import.meta.url)), args, { execArgv: [...execArgv] });
  }

  /** The next message that `is` recognises. @throws {Error} when the process ends instead. */
  next<Message>(is: (message: unknown) => message is Message): Promise<Message> {
    const child = this.#process;
    return new Promise((resolve, reject) => {
      const heard = (message: unknown) => {
        if (!is(message)) return;
        child.off("message", heard).off("exit", ended);
        resolve(message);
      };
      const ended = (code: number | null) => reject(new Error(`a part of the bench ended with code ${code}`));
      child.on("message", heard).once("exit", ended);
    });
  }

  send(message: object | string): void {
    this.#process.send(message);
  }

  /** Resolves when it has ended by itself. */
  async ended(): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) await once(this.#process, "exit");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const exited = once(this.#process, "exit");
    this.#process.kill();
    await exited;
  }
}
