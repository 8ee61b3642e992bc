import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { builtProgram } from "../setup/built-program.ts";
import { freePort } from "../setup/free-port.ts";
import type { Stage } from "./stage.ts";

/** The real program in a process of its own, as on a machine of its own. */
export class Replica implements AsyncDisposable {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  log = "";

  private constructor(child: ChildProcess, port: number) {
    this.url = `http://127.0.0.1:${port}`;
    this.#child = child;
    this.#exited = once(child, "exit");
    for (const output of [child.stdout, child.stderr])
      output?.on("data", (text: Buffer) => {
        this.log += text.toString();
      });
  }

  /** `more`: settings that it has beside those of the stage. `variables`: of its process. */
  static async start(
    stage: Pick<Stage, "folder" | "envFile">,
    name: string,
    more: Readonly<Record<string, string>> = {},
    { program = builtProgram, variables = {} }: { program?: string; variables?: Readonly<Record<string, string>> } = {},
  ): Promise<Replica> {
    const port = await freePort();
    const envFile = join(stage.folder, `${name}.env`);
    const own = `\nDATA_DIR=${join(stage.folder, name)}\nHEALTH_HOST=127.0.0.1\nHEALTH_PORT=${port}\n`;
    const others = Object.entries(more).map(([key, value]) => `${key}=${value}\n`);
    const shared = (await readFile(stage.envFile, "utf8")).replaceAll(/^(DATA_DIR|HEALTH_\w+)=.*$/gm, "");
    await writeFile(envFile, shared + own + others.join(""));
    const child = spawn(process.execPath, [program, "run", "--env-file", envFile], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { PATH: process.env["PATH"], ...variables },
    });
    return new Replica(child, port);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async exitCode(): Promise<number | null> {
    await this.#exited;
    return this.#child.exitCode;
  }

  async text(path: string): Promise<string> {
    return fetch(this.url + path).then(
      (answer) => answer.text(),
      () => "",
    );
  }

  async status(path: string): Promise<number | undefined> {
    return fetch(this.url + path).then(
      ({ status }) => status,
      () => undefined,
    );
  }

  /** Throws, with its last words, once it has ended: it will not become ready. */
  async isReady(): Promise<boolean> {
    if (this.#hasEnded) throw new Error(`it ended before it was ready: ${this.log.slice(-2_000)}`);
    return (await this.status("/readyz")) === 200;
  }

  get #hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#hasEnded) this.kill("SIGKILL");
    await this.#exited;
  }
}

/** How many records it has said that it delivered. */
export function deliveredBy({ log }: Replica): number {
  return log.split('"record delivered"').length - 1;
}
