import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { StoreLocation } from "#store";
import { scriptEnvironment } from "../setup/script.ts";

/** Another process with the store, and what it has said so far. */
export class CrashChild implements AsyncDisposable {
  readonly lines: string[] = [];
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown>;
  #rest = "";
  #errors = "";

  constructor(location: StoreLocation, firstId: number) {
    const script = fileURLToPath(new URL("crash-worker.ts", import.meta.url));
    this.#child = spawn(process.execPath, [script, JSON.stringify(location), String(firstId)], {
      env: scriptEnvironment,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#closed = once(this.#child, "close");
    this.#child.stdout!.setEncoding("utf8").on("data", (text: string) => {
      const lines = (this.#rest + text).split("\n");
      this.#rest = lines.pop()!;
      this.lines.push(...lines);
      this.#child.emit("said");
    });
    this.#child.stderr!.setEncoding("utf8").on("data", (text: string) => {
      this.#errors += text;
    });
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** Resolves once the child has made so many promises. */
  async said(count: number): Promise<void> {
    while (this.lines.length < count) {
      await Promise.race([once(this.#child, "said"), this.#closed]);
      if (this.#child.exitCode !== null) throw new Error(`the child ended by itself: ${this.#errors}`);
    }
  }

  /** Kills it with -9, wherever it is, and resolves when it is gone and all it said was read. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }
}
