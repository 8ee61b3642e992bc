import { writeFile } from "node:fs/promises";
import { sleep } from "#model";
import { DaemonProcess, openLog } from "../daemon-process.ts";
import type { ReplicaMachine } from "./site.ts";

const RESTART_MS = 200;
const LOOK_MS = 50;
/** The 18 s in which a stop ends by itself, the minute for which it may be frozen meanwhile, and a loaded machine. */
const STOP_WITHIN_MS = 100_000;
const UP = /"msg":"(standing by for|daemon started)/;

/**
 * What a replica may end with where nobody ordered it: it was given up while it was away, or could not reach what it needs at its
 * start. Its supervisor starts it again.
 */
const EXPECTED_ENDS = [
  "E_STORE_LOST",
  "E_STORE_REWOUND",
  "E_STORE_UNREACHABLE",
  "E_STORE_LOCKED",
  "E_QUEUE_UNREACHABLE",
];

/** One replica, kept running as a container's restart policy does. */
export class Replica {
  readonly machine: ReplicaMachine;
  /** Ends that nobody had ordered, and that nothing explains. */
  readonly crashes: string[] = [];
  /** What the log said at `warn` and above, by message. */
  readonly complaints: Map<string, number>;
  starts = 0;
  /** How often it was let run again after it stood still. */
  thaws = 0;
  readonly #log;
  #process: DaemonProcess;
  #kept: Promise<void>;
  #lastError = "";
  #isOrdered = false;
  #isOver = false;
  #isUp = false;
  /** Resolves when it may run again. */
  #down: Promise<void> | undefined;
  #thawAt = 0;

  constructor(machine: ReplicaMachine, complaints: Map<string, number>) {
    this.machine = machine;
    this.complaints = complaints;
    this.#log = openLog(machine);
    this.#process = this.#start();
    this.#kept = this.#keep();
  }

  get name(): string {
    return this.machine.name;
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  get isRunning(): boolean {
    return this.#process.isAlive && !this.isFrozen;
  }

  get isFrozen(): boolean {
    return performance.now() < this.#thawAt;
  }

  /** Ends it at once and starts it again after `ms`, and after `work`; resolves when it has ended, to its return. */
  async end(how: "kill" | "stop", ms: number, work?: () => Promise<void>): Promise<{ back: Promise<void> }> {
    while (this.#down) await this.#down;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#down = promise;
    this.#isOrdered = true;
    if (how === "kill") await this.#process.kill();
    else await this.#stop();
    this.#thawAt = 0;
    const back = sleep(ms)
      .then(work)
      .finally(() => {
        this.#down = undefined;
        resolve();
      });
    return { back };
  }

  /** Stops it where it is for so long, as a machine that is moved. */
  async freeze(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.isRunning) return;
    this.#thawAt = performance.now() + ms;
    this.#process.signal("SIGSTOP");
    await sleep(ms, signal);
    this.thaw();
  }

  thaw(): void {
    this.#thawAt = 0;
    this.thaws += 1;
    if (this.#process.isAlive) this.#process.signal("SIGCONT");
  }

  async setClock(offsetMs: number): Promise<void> {
    await writeFile(this.machine.clockFile, String(offsetMs));
  }

  /** Resolves when it works or stands by, or after so long. */
  async up(withinMs: number): Promise<void> {
    const until = performance.now() + withinMs;
    while (!this.#isUp && performance.now() < until) await sleep(LOOK_MS);
  }

  /** Ends it for good, cleanly. */
  async close(): Promise<void> {
    while (this.#down) await this.#down;
    this.#isOver = true;
    await this.#stop();
    await this.#kept;
    await new Promise((resolve) => this.#log.end(resolve));
  }

  async #stop(): Promise<void> {
    if (!this.#process.isAlive) return;
    this.thaw();
    const process = this.#process;
    const code = await Promise.race([process.stop(), sleep(STOP_WITHIN_MS).then(() => "late" as const)]);
    if (code === "late") {
      this.crashes.push("it did not end when it was stopped");
      return process.kill();
    }
    // One that is just starting does not hear the signal yet, which ends it.
    if (code !== null && code !== 0 && !this.#isExpected(code))
      this.crashes.push(`its stop ended with ${code}: ${this.#lastError}`);
  }

  #start(): DaemonProcess {
    this.starts += 1;
    this.#isOrdered = false;
    this.#isUp = false;
    this.#lastError = "";
    const started = new DaemonProcess(this.machine, this.#log, (line) => this.#hear(line));
    this.machine.links.service.client = started.pid;
    return started;
  }

  async #keep(): Promise<void> {
    for (;;) {
      const { code, signal } = await this.#process.ended;
      if (this.#isOver) return;
      if (!this.#isOrdered && !this.#isExpected(code))
        this.crashes.push(`it ended with ${code ?? signal}: ${this.#lastError}`);
      this.#log.write(`--- ended with ${code ?? signal}\n`);
      await sleep(RESTART_MS);
      await this.#down;
      this.#process = this.#start();
    }
  }

  #isExpected(code: number | null): boolean {
    return (code === 70 || code === 75) && EXPECTED_ENDS.some((name) => this.#lastError.includes(name));
  }

  #hear(line: string): void {
    this.#isUp ||= UP.test(line);
    const level = /"level":"?(\w+)"?/.exec(line)?.[1];
    if (level === undefined || level === "debug" || level === "info") {
      // What ends the program is said outside the log.
      if (level === undefined && line.trim() !== "") this.#lastError += `${line} `;
      return;
    }
    const code = /"code":"(\w+)"/.exec(line)?.[1] ?? "";
    if (level === "fatal" || level === "error") this.#lastError += `${code} `;
    const name = `${level}: ${/"msg":"([^"]*)"/.exec(line)?.[1] ?? line.slice(0, 120)} ${code}`;
    this.complaints.set(name, (this.complaints.get(name) ?? 0) + 1);
  }
}
