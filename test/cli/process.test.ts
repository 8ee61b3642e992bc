import { spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdir, open, readFile, symlink, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { builtProgram } from "../setup/built-program.ts";
import { listen } from "../setup/listen.ts";
import { startPostgres } from "../setup/postgres.ts";
import { startableByAll, type StartableProgram } from "../setup/startable-program.ts";
import { openScene, type Scene } from "./scene.ts";

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
  await scene.set({ LOG_LEVEL: "info" });
});
afterAll(() => scene[Symbol.asyncDispose]());

/** Root may write everywhere: a program that root starts runs as nobody. */
const NOBODY = 65_534;
const unprivileged = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

/** For programs without rights: a folder whose only file is Node.js, and the program, both where everybody may enter. */
let startable: StartableProgram & { readonly bin: string };
beforeAll(async () => {
  const bin = join(scene.folder, "bin");
  const found = await startableByAll(join(scene.folder, "program"));
  await mkdir(bin);
  await symlink(found.node, join(bin, "node"));
  await chmod(scene.folder, 0o755);
  startable = { ...found, bin };
});

/** The program as people start it, its output gathered. */
class Program implements AsyncDisposable {
  readonly child: ChildProcess;
  output = "";
  readonly #ended: Promise<number | null>;

  constructor(argv: readonly string[], options: SpawnOptions = {}, program = builtProgram) {
    this.child = spawn(program, argv, { cwd: scene.folder, ...options, stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [this.child.stdout!, this.child.stderr!])
      stream.on("data", (chunk: Buffer) => (this.output += chunk.toString()));
    this.#ended = once(this.child, "close").then(() => this.child.exitCode);
  }

  ended(): Promise<number | null> {
    return this.#ended;
  }

  /** Resolves once the output holds `text`; fails when the program ends before. */
  async says(text: string): Promise<void> {
    const isOver = this.#ended.then(() => true);
    while (!this.output.includes(text)) {
      const wait = once(this.child.stdout!, "data").then(() => false);
      if (await Promise.race([wait, isOver]))
        if (!this.output.includes(text)) throw new Error(`ended without saying "${text}":\n${this.output}`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill("SIGKILL");
    await this.#ended;
  }
}

/** The packages that the program loads until it ends well. */
async function loadedBy(
  argv: readonly string[],
  meanwhile?: (program: Program) => Promise<void>,
): Promise<Set<string>> {
  const list = join(scene.folder, `loaded-${randomUUID()}.txt`);
  const note = `import { appendFileSync } from "node:fs"; import { registerHooks } from "node:module"; registerHooks({ load(url, context, next) { appendFileSync(${JSON.stringify(list)}, url + "\\n"); return next(url, context); } });`;
  const hook = `--import=data:text/javascript,${encodeURIComponent(note)}`;
  await using program = new Program(argv, { env: { ...process.env, NODE_OPTIONS: hook } });
  await meanwhile?.(program);
  expect({ code: await program.ended(), output: program.output }).toMatchObject({ code: 0 });
  return new Set((await readFile(list, "utf8")).match(/(?<=\/node_modules\/)(?:@[^/]+\/)?[^/\n]+/g));
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(20);
}

describe("the program", () => {
  it("runs until SIGTERM, which is a clean stop with exit code 0", async () => {
    await using program = new Program(["run", "--env-file", scene.envFile]);
    await program.says("daemon started");
    await until(() => scene.sandbox.records("svcDocument").length === 1);
    program.child.kill("SIGTERM");
    expect(await program.ended()).toBe(0);
    expect(program.output).toMatch(/daemon is stopping[\s\S]*daemon stopped/);
  });

  it("loads no library that its settings have no use for", async () => {
    const packages = await loadedBy(["run", "--env-file", scene.envFile], async (program) => {
      await program.says("daemon started");
      program.child.kill("SIGTERM");
    });
    expect(packages).toContain("better-sqlite3");
    // Of another source, of another store, of a channel, of traces and of a log for terminals, none of which this mapping and these settings name.
    const rare =
      /^(ssh2|ssh2-sftp-client|tedious|mysql2|pg|pg-copy-streams|iconv-lite|csv-parse|fast-xml-parser|nodemailer|pino-pretty|tough-cookie|@azure\/.*|@opentelemetry\/(?!api$).*)$/;
    expect([...packages].filter((name) => rare.test(name))).toEqual([]);
  });

  it("loads for a command what the command uses", async () => {
    for (const option of ["--version", "--help"])
      expect([...(await loadedBy([option]))].toSorted()).toEqual(["commander", "zod"]);
    for (const command of [["status"], ["explain", "customers/10001"]]) {
      const packages = await loadedBy([...command, "--env-file", scene.envFile]);
      expect(packages).toContain("better-sqlite3");
      // Of the service, the page, the queue, the metrics and the log.
      const ofDaemon =
        /^(got|pino-pretty|hpagent|cockatiel|hono|@hono\/.*|bullmq|ioredis|prom-client|@opentelemetry\/.*)$/;
      expect([...packages].filter((name) => ofDaemon.test(name))).toEqual([]);
    }
  });

  it("needs no Redis server for one round", async () => {
    await using own = await openScene();
    await own.set({ QUEUE_URL: "" });
    const packages = await loadedBy(["sync", "--env-file", own.envFile]);
    expect(packages).toContain("got");
    expect([...packages].filter((name) => /^(bullmq|ioredis)$/.test(name))).toEqual([]);
  });

  it("ends at once on a second signal", async () => {
    scene.sandbox.faults.add({ kind: "latency", ms: 60_000, resource: "customer" });
    scene.erp.renameCustomer("10001", "Unterwegs");
    await using program = new Program(["run", "--env-file", scene.envFile]);
    await program.says("daemon started");
    // A delivery is under way, for which a clean stop would wait.
    await until(async () => (await scene.run("records", "--state", "claimed")).stdout.includes("customers/10001"));
    program.child.kill("SIGTERM");
    await program.says("daemon is stopping");
    program.child.kill("SIGTERM");
    expect(await program.ended()).toBe(143);
    scene.sandbox.faults.clear();
  });

  it("ends when it is done, also where the database of the store never closes its connection", async () => {
    await using postgres = await startPostgres();
    using open = new DisposableStack();
    const deaf = createServer({ allowHalfOpen: true }, (client) => {
      const server = connect(postgres.port, "127.0.0.1").on("data", (data) => client.write(data));
      client.on("data", (data) => server.write(data));
      open.defer(() => client.destroy());
    });
    open.defer(() => deaf.close());
    const url = `postgres://svcsync@127.0.0.1:${await listen(deaf)}/postgres`;
    await using program = new Program(["status", "--env-file", scene.envFile], {
      env: { ...process.env, STORE_URL: url },
    });
    expect([await program.ended(), program.output]).toEqual([0, expect.stringContaining("customers")]);
  });

  it.runIf(existsSync("/dev/full"))("says in one sentence that its output cannot be written", async () => {
    await using full = await open("/dev/full", "w");
    const child = spawn(builtProgram, ["schema"], { stdio: ["ignore", full.fd, "pipe"] });
    let told = "";
    child.stderr!.on("data", (chunk: Buffer) => (told += chunk.toString()));
    const [code] = await once(child, "close");
    expect(told).toMatch(/^standard output cannot be written: ENOSPC[^\n]*\n$/);
    expect(code).toBe(70);
  });

  it.runIf(existsSync("/dev/full"))(
    "keeps working where its log cannot be written, and says so at the end",
    async () => {
      await using full = await open("/dev/full", "w");
      scene.erp.renameCustomer("10002", "Unlogged");
      const child = spawn(builtProgram, ["run", "--env-file", scene.envFile], {
        stdio: ["ignore", full.fd, "pipe"],
      });
      let told = "";
      child.stderr!.on("data", (chunk: Buffer) => (told += chunk.toString()));
      const closed = once(child, "close");
      try {
        const isDelivered = () => JSON.stringify(scene.sandbox.records("customer")).includes("Unlogged");
        const delivered = until(isDelivered).then(() => "delivered");
        expect([await Promise.race([delivered, closed]), told]).toEqual(["delivered", ""]);
        child.kill("SIGTERM");
        expect((await closed)[0]).toBe(70);
        expect(told).toMatch(/^standard output cannot be written: ENOSPC[^\n]*\n$/);
      } finally {
        child.kill("SIGKILL");
        await closed;
      }
    },
  );

  it("ends with 78 and one message on stderr when the settings are wrong", async () => {
    const wrong = join(scene.folder, "wrong.env");
    await writeFile(wrong, "SERVICE_URL=nowhere\nSERVICE_TOKEN=t\n");
    await using program = new Program(["run", "--env-file", wrong]);
    expect(await program.ended()).toBe(78);
    expect(program.output).toMatch(/SERVICE_URL: found "nowhere"; expected/);
  });

  it.each([
    [
      ["init", "--yes", "--erp", "sqlite", "--no-check"],
      /^[^\n]+svcsync may not write here\. Name a file in a folder [^\n]+\n$/,
      70,
    ],
    [["status", "--env-file", "../svcsync.env"], /^[^\n]+the store cannot be written to; give the user [^\n]+\n$/, 70],
    [
      ["check", "--env-file", "../svcsync.env"],
      /^PROBLEM +store: [^\n]+ cannot be written to; [^\n]+\(E_STORE_READONLY\)$/m,
      1,
    ],
  ])("ends with one sentence in a folder that takes no writes: %j", async (argv, sentence, code) => {
    const readOnly = join(scene.folder, `read-only-${argv[0]}`);
    await mkdir(readOnly);
    await writeFile(join(scene.folder, "svcsync.env"), await readFile(scene.envFile));
    await chmod(readOnly, 0o555);
    const env = { ...process.env, DATA_DIR: "data", PATH: startable.bin };
    await using program = new Program(argv, { cwd: readOnly, env, ...unprivileged }, startable.program);
    expect([await program.ended(), program.output]).toEqual([code, expect.stringMatching(sentence)]);
  });

  it("sync ends with 70 when the service refuses the token, instead of staying for ever", async () => {
    const wrong = join(scene.folder, "wrong-token.env");
    const settings = await readFile(scene.envFile, "utf8");
    await writeFile(wrong, `${settings}SERVICE_TOKEN='wrong'\nDATA_DIR='${join(scene.folder, "other")}'\n`);
    await using program = new Program(["sync", "--env-file", wrong]);
    expect(await program.ended()).toBe(70);
    expect(program.output).toContain("E_SERVICE_LOGIN");
  });

  it("makes an env file that is not there yet, however Node reads its own options", async () => {
    await using program = new Program(["init", "--env-file", "new.env", "--yes", "--erp", "sqlite", "--no-check"]);
    expect(await program.ended()).toBe(0);
    expect(await readFile(join(scene.folder, "new.env"), "utf8")).toContain("SERVICE_URL=\n");
  });

  it("shows the whole demo without root and without Redis, and the counts hold", async () => {
    const options = { cwd: "/", env: { PATH: startable.bin }, ...unprivileged };
    await using program = new Program(["demo"], options, startable.program);
    expect(await program.ended()).toBe(0);
    expect(program.output).toContain("with the queue in-process.");
    expect(program.output).toMatch(
      /the ERP got 4 lines \(2\.25 h\), booked them as RE-2026-0815, and the invoice has that number/,
    );
    expect(program.output).toContain("Every other record of the ERP is in the service, once, as the ERP says.");
  });
});
