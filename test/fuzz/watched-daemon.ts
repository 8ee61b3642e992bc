import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, type WriteStream } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { builtProgram } from "../setup/built-program.ts";

const probe = fileURLToPath(new URL("probe.mjs", import.meta.url));
/** Of old objects; a daemon that needs more for so few records leaks, or reads without bounds. */
const HEAP_MB = 256;
const START_MS = 60_000;
const COLLECT_MS = 10_000;

const told = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("stall"), delayMs: z.number(), cpuMs: z.number() }),
  z.object({ kind: z.literal("memory"), rss: z.number(), heapUsed: z.number() }),
  z.object({ kind: z.literal("collected"), heapUsed: z.number() }),
]);

/** What one process came to, as seen from outside. */
export interface Watched {
  readonly stalls: { readonly at: string; readonly delayMs: number; readonly cpuMs: number }[];
  maxRss: number;
  /** Of its heap after a full collection, each time that one was asked for. */
  readonly collected: number[];
  logBytes: number;
  longestLine: number;
  /** Lines that tell of a defect of ours. */
  readonly defects: Set<string>;
  /** The code with which it said that it cannot go on. */
  stopCode: string | undefined;
}

/** Messages that only a defect writes. */
const defect =
  /E_INTERNAL|"caught an error that a (delivery|poll) threw"|UnhandledPromise|FATAL ERROR|"did not stop cleanly"|on garbage collection/;

/** The real program in a process of its own, with a probe in it. */
export class WatchedDaemon {
  readonly watched: Watched = {
    stalls: [],
    maxRss: 0,
    collected: [],
    logBytes: 0,
    longestLine: 0,
    defects: new Set(),
    stopCode: undefined,
  };
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  readonly #child: ChildProcess;
  readonly #started: Promise<unknown>;

  constructor(envFile: string, folder: string, log: WriteStream) {
    this.#child = fork(builtProgram, ["run", "--env-file", envFile], {
      execArgv: ["--expose-gc", `--max-old-space-size=${HEAP_MB}`, "--import", probe],
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      cwd: folder,
      env: { PATH: process.env["PATH"] },
    });
    const ended = once(this.#child, "close");
    this.ended = ended.then(() => ({ code: this.#child.exitCode, signal: this.#child.signalCode }));
    this.#started = new Promise((resolve) => {
      const hear = (line: string) => {
        log.write(`${line}\n`);
        this.#hear(line);
        if (line.includes('"daemon started"')) resolve(line);
      };
      createInterface({ input: this.#child.stdout! }).on("line", hear);
      createInterface({ input: this.#child.stderr! }).on("line", hear);
    });
    this.#child.on("message", (message) => this.#told(message));
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Resolves when it has started; its stalls count from then on. */
  async watch(): Promise<void> {
    await within(Promise.race([this.#started, this.ended]), START_MS, "the daemon did not start");
    if (this.isAlive) this.#child.send("watch");
  }

  /** Collects all garbage and notes what is left. */
  async collect(): Promise<void> {
    const count = this.watched.collected.length;
    if (!this.isAlive) return;
    this.#child.send("collect");
    const deadline = Date.now() + COLLECT_MS;
    while (this.isAlive && this.watched.collected.length === count && Date.now() < deadline)
      await Promise.race([once(this.#child, "message"), this.ended]);
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.ended;
  }

  /** A clean stop, and how it ended. */
  async stop(ms: number): Promise<string> {
    this.#child.kill("SIGTERM");
    const startedAt = Date.now();
    try {
      const { code, signal } = await within(this.ended, ms, "");
      return code === 0 ? "" : `a stop ended with ${code ?? signal}`;
    } catch {
      await this.kill();
      return `a stop took longer than ${Date.now() - startedAt} ms`;
    }
  }

  #told(message: unknown): void {
    const said = told.parse(message);
    if (said.kind === "stall") this.watched.stalls.push({ at: new Date().toISOString(), ...said });
    if (said.kind === "memory") this.watched.maxRss = Math.max(this.watched.maxRss, said.rss);
    if (said.kind === "collected") this.watched.collected.push(said.heapUsed);
  }

  #hear(line: string): void {
    this.watched.logBytes += line.length;
    this.watched.longestLine = Math.max(this.watched.longestLine, line.length);
    if (defect.test(line)) this.watched.defects.add(line.slice(0, 600));
    if (line.includes('"daemon could not continue"'))
      this.watched.stopCode = /"code":"(\w+)"/.exec(line)?.[1] ?? "no code";
  }
}

export function openLog(path: string): WriteStream {
  return createWriteStream(path, { flags: "a" });
}

async function within<T>(work: Promise<T>, ms: number, why: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => (timer = setTimeout(() => reject(new Error(why)), ms)));
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
