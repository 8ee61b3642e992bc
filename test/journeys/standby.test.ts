import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { setStage, texts, until, type Stage } from "./stage.ts";
import { builtProgram } from "../setup/built-program.ts";
import { freePort } from "../setup/free-port.ts";
import { postgresServer } from "../setup/postgres.ts";

const postgres = postgresServer();
afterAll(() => postgres.end());

/** The real program in a process of its own, as on a machine of its own. */
class Replica implements AsyncDisposable {
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

  static async start(stage: Stage, name: string): Promise<Replica> {
    const port = await freePort();
    const envFile = join(stage.folder, `${name}.env`);
    const own = `\nDATA_DIR=${join(stage.folder, name)}\nHEALTH_HOST=127.0.0.1\nHEALTH_PORT=${port}\n`;
    const shared = (await readFile(stage.envFile, "utf8")).replaceAll(/^(DATA_DIR|HEALTH_\w+)=.*$/gm, "");
    await writeFile(envFile, shared + own);
    const child = spawn(process.execPath, [builtProgram, "run", "--env-file", envFile], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { PATH: process.env["PATH"] },
    });
    return new Replica(child, port);
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async exitCode(): Promise<number | null> {
    await this.#exited;
    return this.#child.exitCode;
  }

  async status(path: string): Promise<number | undefined> {
    return fetch(this.url + path).then(
      ({ status }) => status,
      () => undefined,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.kill("SIGKILL");
    await this.#exited;
  }
}

async function twoReplicas(stage: Stage): Promise<[Replica, Replica]> {
  const first = await Replica.start(stage, "first");
  await until("the first one works", async () => (await first.status("/readyz")) === 200);
  const second = await Replica.start(stage, "second");
  await until("the second one stands by", () => second.log.includes("standing by"));
  return [first, second];
}

describe("a daemon that stands by for one with the same store in PostgreSQL", () => {
  it("is alive and not ready, and takes over when that one ends", async () => {
    await using stage = await setStage({
      environment: { STORE_URL: await postgres.url(), STORE_SCHEMA: "clean_stop" },
    });
    const [first, second] = await twoReplicas(stage);
    await using _first = first;
    await using _second = second;
    expect(await second.status("/healthz")).toBe(200);
    expect(await second.status("/readyz")).toBe(503);
    first.kill("SIGTERM");
    expect(await first.exitCode()).toBe(0);
    await until("the second one works", async () => (await second.status("/readyz")) === 200);
    stage.erp.insertCustomer({ customer_no: "10001" });
    await until("a change arrives", () => texts(stage.sandbox, "customer", "customerId").includes("10001"));
    second.kill("SIGTERM");
    expect(await second.exitCode()).toBe(0);
  });

  it("takes over from one that stands still; that one sends nothing when it goes on, and ends", async () => {
    const environment = { STORE_URL: await postgres.url(), STORE_SCHEMA: "stands_still" };
    await using stage = await setStage({ environment });
    const { sandbox, erp } = stage;
    sandbox.faults.add({ kind: "latency", ms: 30, method: "POST" });
    const [first, second] = await twoReplicas(stage);
    await using _first = first;
    await using _second = second;
    // Only now, so that the load is not over before the second one is there.
    for (let at = 0; at < 150; at++) erp.insertCustomer({ customer_no: `${10_000 + at}` });
    const posts = () => sandbox.ledger.count({ method: "POST" });
    await until("the load is under way", () => posts() > 40);
    first.kill("SIGSTOP");
    const wanted = erp.all("customers").filter((row) => row.deleted === 0);
    await until("the second one took over", async () => (await second.status("/readyz")) === 200);
    await until(
      "the second one finished the load",
      () => texts(sandbox, "customer", "customerId").length === wanted.length,
    );
    const before = sandbox.ledger.count({});
    first.kill("SIGCONT");
    expect(await first.exitCode()).toBe(70);
    expect(first.log).toContain("E_STORE_LOST");
    const writes = sandbox.ledger.writes({ resource: "customer", action: "create" });
    expect(new Set(writes.map(({ record }) => record?.["customerId"])).size).toBe(writes.length);
    expect(writes.length).toBe(wanted.length);
    expect(sandbox.ledger.count({ method: "POST" }) + sandbox.ledger.count({ method: "PUT" })).toBeLessThanOrEqual(
      before,
    );
    second.kill("SIGTERM");
    expect(await second.exitCode()).toBe(0);
  });
});
