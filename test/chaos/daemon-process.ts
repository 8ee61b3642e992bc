import { spawn, type ChildProcess } from "node:child_process";
import { createWriteStream, type WriteStream } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Machine, Rig } from "./rig.ts";
import { builtProgram } from "../setup/built-program.ts";

const fakeClock = fileURLToPath(new URL("fake-clock.mjs", import.meta.url));

/** Starts the real program on the machine whose clock the rig sets. */
export function startProgram(machine: Machine, args: readonly string[]): ChildProcess {
  return spawn(
    process.execPath,
    [...machine.nodeArgs, "--import", fakeClock, builtProgram, ...args, "--env-file", machine.envFile],
    {
      stdio: ["ignore", "pipe", "pipe"],
      cwd: machine.folder,
      env: { PATH: process.env["PATH"], CHAOS_CLOCK_FILE: machine.clockFile },
    },
  );
}

/** One run of the real program in a process of its own, seen from outside: its log and how it ended. */
export class DaemonProcess {
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  readonly #child: ChildProcess;
  readonly #waiting = new Set<{ pattern: RegExp; heard: (line: string) => void }>();

  constructor(machine: Machine, log: WriteStream, heard: (line: string) => void = () => {}) {
    this.#child = startProgram(machine, ["run"]);
    const listen = (line: string) => {
      log.write(`${line}\n`);
      heard(line);
      for (const waiting of this.#waiting) if (waiting.pattern.test(line)) waiting.heard(line);
    };
    createInterface({ input: this.#child.stdout! }).on("line", listen);
    createInterface({ input: this.#child.stderr! }).on("line", listen);
    this.ended = new Promise((resolve) => {
      this.#child.once("close", (code, signal) => resolve({ code, signal }));
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** The next line of its log that matches, or undefined after `ms` or when it ends. */
  said(pattern: RegExp, ms: number): Promise<string | undefined> {
    return new Promise((resolve) => {
      const end = (line: string | undefined) => {
        clearTimeout(timer);
        this.#waiting.delete(waiting);
        resolve(line);
      };
      const waiting = { pattern, heard: end };
      const timer = setTimeout(() => end(undefined), ms);
      this.#waiting.add(waiting);
      void this.ended.then(() => end(undefined));
    });
  }

  /** Stops it where it is, or lets it continue. */
  signal(name: "SIGSTOP" | "SIGCONT"): void {
    this.#child.kill(name);
  }

  /** kill -9. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.ended;
  }

  /** A clean stop; resolves to the exit code. */
  async stop(): Promise<number | null> {
    this.#child.kill("SIGTERM");
    return (await this.ended).code;
  }
}

/** Appends what every run of the daemon says to one file. */
export function openLog({ logFile }: Pick<Rig, "logFile">): WriteStream {
  return createWriteStream(logFile, { flags: "a" });
}
