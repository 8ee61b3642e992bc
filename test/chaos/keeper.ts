import { sleep } from "#model";
import { DaemonProcess, openLog } from "./daemon-process.ts";
import type { Dice } from "./dice.ts";
import type { Rig } from "./rig.ts";

/** How a second daemon on the same store ended: it must be sent away. */
export type SecondDaemon = "refused" | "not refused" | "not comparable";

/** So long a second daemon may take to start and to be sent away, on a loaded machine. */
const SECOND_MS = 180_000;

/** Keeps one daemon running, as a container's restart policy does, and kills it when told. */
export class Keeper {
  readonly #rig: Rig;
  readonly #dice: Dice;
  readonly #log;
  #daemon: DaemonProcess;
  #kept: Promise<void> = Promise.resolve();
  #stopping = false;
  /** Second daemons; where one got the store because the first was killed, the first's successor is sent away. */
  readonly #visitors = new Set<DaemonProcess>();
  /** Resolves when daemons may run again. */
  #down: Promise<unknown> | undefined;
  #timesDown = 0;
  starts = 0;
  kills = 0;
  /** Ends that nobody had ordered. */
  readonly crashes: string[] = [];
  /** How often a daemon said that its store was put back. */
  restoresTold = 0;
  /** What the log said at `warn` and above, by message. */
  readonly complaints = new Map<string, number>();

  constructor(rig: Rig, dice: Dice) {
    this.#rig = rig;
    this.#dice = dice;
    this.#log = openLog(rig);
    this.#daemon = this.#start();
    this.#kept = this.#keep();
  }

  get daemon(): DaemonProcess {
    return this.#daemon;
  }

  /** Ends the daemon and does `work` while none runs, as a person does who takes the container down. */
  whileDown(end: "stop" | "kill", work: () => Promise<void>): Promise<void> {
    return this.#rig.door.replace(() => this.#whileDown(end, work));
  }

  async #whileDown(end: "stop" | "kill", work: () => Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#down = promise;
    this.#timesDown += 1;
    try {
      for (const visitor of this.#visitors) await visitor.kill();
      if (this.#daemon.isAlive) await this.#daemon[end]();
      await work();
    } finally {
      this.#down = undefined;
      resolve();
    }
  }

  /** kill -9 now; a new one is started automatically. Does nothing while none is alive. */
  kill(): boolean {
    if (!this.#daemon.isAlive) return false;
    this.kills += 1;
    void this.#daemon.kill();
    return true;
  }

  /** Starts another one beside the living and sees it off. */
  async second(): Promise<SecondDaemon> {
    if (this.#down) return "not comparable";
    const first = this.#daemon;
    const timesDown = this.#timesDown;
    const lines: string[] = [];
    const second = new DaemonProcess(this.#rig, this.#log, (line) => lines.push(line));
    this.#visitors.add(second);
    const ended = await Promise.race([
      second.ended,
      first.ended.then(() => undefined),
      sleep(SECOND_MS).then(() => undefined),
    ]);
    const comparable = first.isAlive && this.#daemon === first && this.#timesDown === timesDown;
    if (!ended) await second.kill();
    this.#visitors.delete(second);
    if (!comparable) return "not comparable";
    return ended?.code === 70 && lines.some((line) => line.includes("E_STORE_BUSY")) ? "refused" : "not refused";
  }

  /** Stops it for good, cleanly; the exit code. */
  async stop(): Promise<number | null> {
    this.#stopping = true;
    const code = this.#daemon.isAlive ? await this.#daemon.stop() : 0;
    await this.#kept;
    await new Promise((resolve) => this.#log.end(resolve));
    return code;
  }

  #start(): DaemonProcess {
    this.starts += 1;
    return new DaemonProcess(this.#rig, this.#log, (line) => this.#hear(line));
  }

  async #keep(): Promise<void> {
    while (!this.#stopping) {
      const hadVisitor = this.#visitors.size > 0;
      const { code, signal } = await this.#daemon.ended;
      if (
        signal !== "SIGKILL" &&
        !this.#stopping &&
        !this.#down &&
        !(code === 70 && (hadVisitor || this.#visitors.size > 0))
      )
        this.crashes.push(`exit ${code ?? signal}`);
      if (this.#stopping) return;
      await sleep(this.#dice.between(0, 400));
      await this.#down;
      if (!this.#stopping) this.#daemon = this.#start();
    }
  }

  #hear(line: string): void {
    if (line.includes("E_STORE_RESTORED") || line.includes('"store was restored')) this.restoresTold += 1;
    const level = /"level":"?(\w+)"?/.exec(line)?.[1];
    if (level === undefined || level === "debug" || level === "info") return;
    const name = `${level}: ${/"msg":"([^"]*)"/.exec(line)?.[1] ?? line.slice(0, 120)} ${/"code":"(\w+)"/.exec(line)?.[1] ?? ""}`;
    this.complaints.set(name, (this.complaints.get(name) ?? 0) + 1);
  }
}
