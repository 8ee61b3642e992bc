import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { sleep } from "#model";
import { childrenOf, peakBytesOf, processorMsOf } from "../process-facts.ts";

const SAMPLE_MS = 100;
const LOOK_MS = 50;

export interface LoadCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What it prints goes here, what an earlier load printed goes away. */
  readonly logFile: string;
  /** What a program prints that keeps running after the load. Absent: the program ends by itself. */
  readonly finishedLine?: string;
}

/** What a load cost: the sum over its process and all processes that it started, each at its own peak. */
export interface Cost {
  readonly peakBytes: number;
  readonly processorMs: number;
}

/** One load by one system, in a process group of its own. Disposing it ends the group. */
export class RunningLoad implements AsyncDisposable {
  readonly #command: LoadCommand;
  readonly #child: ChildProcess;
  readonly #seen = new Map<number, Cost>();
  readonly #sampler = new AbortController();
  readonly #sampling: Promise<void>;

  constructor(command: LoadCommand) {
    this.#command = command;
    const log = openSync(command.logFile, "w");
    this.#child = spawn(command.program, command.args, {
      stdio: ["ignore", log, log],
      env: { PATH: process.env["PATH"], ...command.env },
      detached: true,
    });
    closeSync(log);
    this.#sampling = this.#sample(this.#sampler.signal);
  }

  /** Resolves with the cost so far when everything is done. @throws {Error} with the end of the log when it failed. */
  async finished(): Promise<Cost> {
    const { finishedLine } = this.#command;
    while (!this.#hasEnded()) {
      if (finishedLine !== undefined && (await this.#log()).includes(finishedLine)) return this.#cost();
      await sleep(LOOK_MS);
    }
    if (this.#child.exitCode === 0 && finishedLine === undefined) return this.#cost();
    throw new Error(`${this.#command.program} failed:\n${(await this.#log()).slice(-3000)}`);
  }

  /** As a power cut would: no signal handler runs, and no child survives. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end("SIGTERM");
    this.#sampler.abort();
    await this.#sampling;
  }

  #hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    if (this.#hasEnded() || this.#child.pid === undefined) return;
    const exited = once(this.#child, "exit");
    process.kill(-this.#child.pid, signal);
    await exited;
  }

  async #log(): Promise<string> {
    return readFile(this.#command.logFile, "utf8");
  }

  #cost(): Cost {
    const costs = [...this.#seen.values()];
    return {
      peakBytes: costs.reduce((sum, { peakBytes }) => sum + peakBytes, 0),
      processorMs: costs.reduce((sum, { processorMs }) => sum + processorMs, 0),
    };
  }

  async #sample(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !this.#hasEnded()) {
      const pid = this.#child.pid ?? 0;
      for (const each of [pid, ...(await childrenOf(pid))]) {
        const [peakBytes, processorMs] = await Promise.all([peakBytesOf(each), processorMsOf(each)]);
        if (peakBytes !== undefined && processorMs !== undefined) this.#seen.set(each, { peakBytes, processorMs });
      }
      await sleep(SAMPLE_MS, signal).catch(() => undefined);
    }
  }
}
