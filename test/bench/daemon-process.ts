import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { openSync, closeSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { builtProgram } from "../setup/built-program.ts";
import { peakBytesOf, processorMsOf, residentBytesOf, withChildren } from "./process-facts.ts";

/** One run of the real program, seen from outside. Disposing it stops it cleanly. */
export class DaemonProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #logFile: string;

  constructor(args: readonly string[], logFile: string) {
    this.#logFile = logFile;
    const log = openSync(logFile, "a");
    this.#child = spawn(builtProgram, args, {
      stdio: ["ignore", log, log],
      // NODE_OPTIONS can bring a profiler.
      env: { PATH: process.env["PATH"], NODE_OPTIONS: process.env["NODE_OPTIONS"] },
    });
    closeSync(log);
  }

  /** Everything it has said so far, entry by entry. */
  async log(): Promise<Record<string, unknown>[]> {
    const text = await readFile(this.#logFile, "utf8");
    return text.split("\n").flatMap((line) => (line.startsWith("{") ? [entryOf(line)] : []));
  }

  /** The most memory it ever held, in bytes; undefined where the system does not tell (it is Linux that does). */
  async peakBytes(): Promise<number | undefined> {
    return peakBytesOf(this.#pid);
  }

  /** Processor time of it and of the processes that it started; undefined where the system does not tell. */
  processorMs(): Promise<number | undefined> {
    return withChildren(this.#pid, processorMsOf);
  }

  /** Memory that it and the processes that it started hold now, in bytes; undefined where the system does not tell. */
  residentBytes(): Promise<number | undefined> {
    return withChildren(this.#pid, residentBytesOf);
  }

  /** Resolves when it has ended by itself. @throws {Error} with the end of its log when it failed. */
  async ended(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, "exit");
    if (this.#child.exitCode === 0) return;
    const log = await readFile(this.#logFile, "utf8");
    throw new Error(`svcsync ended with code ${this.#child.exitCode}:\n${log.slice(-2000)}`);
  }

  get #pid(): number {
    return this.#child.pid ?? 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill("SIGTERM");
    await once(this.#child, "exit");
  }
}

function entryOf(line: string): Record<string, unknown> {
  const entry: Record<string, unknown> = JSON.parse(line);
  return entry;
}
