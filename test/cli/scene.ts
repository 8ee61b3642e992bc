import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { runCommand } from "#cli";
import { createSampleErp, DEFAULT_TOKEN, startSandbox, type SampleErp, type Sandbox } from "#sandbox";
import { startRedis } from "../setup/redis.ts";
// The shipped sync file as the demo uses it.
import { readSampleSyncFile } from "../../src/cli/init/presets.ts";

/** What a command came to. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A small ERP, a stand-in for the service and a folder of settings: all that a command needs. */
export interface Scene extends AsyncDisposable {
  readonly folder: string;
  readonly envFile: string;
  readonly erp: SampleErp;
  readonly sandbox: Sandbox;
  /** Runs one command line with this scene's env file. */
  run(...argv: string[]): Promise<Ran>;
  /** Writes the env file anew: these over what it was; undefined takes a key out. */
  set(environment: Readonly<Record<string, string | undefined>>): Promise<void>;
  /** Writes the sync file anew. */
  edit(change: (text: string) => string): Promise<void>;
}

export async function openScene(): Promise<Scene> {
  const folder = await mkdtemp(join(tmpdir(), "svcsync-cli-"));
  const redis = await startRedis();
  const sandbox = await startSandbox();
  const erp = createSampleErp(join(folder, "erp.sqlite"), { customers: 0, contacts: 0, tickets: 0, orders: 0 });
  erp.insertCustomer({ customer_no: "10001", name1: "Muster", name2: "AG" });
  erp.insertCustomer({ customer_no: "10002", name1: "Übersee" });
  erp.insertContact({ customer_no: "10001", contact_no: 1, first_name: "Anna", last_name: "Ünal" });
  erp.insertTicket({ ticket_no: "T-1", customer_no: "10001", subject: "Pump leaks" });
  erp.insertOrder({ order_no: "O-1", customer_no: "10001", ticket_no: "T-1" });
  const envFile = join(folder, "svcsync.env");
  const syncFile = join(folder, "sync.yaml");
  let environment: Readonly<Record<string, string | undefined>> = {
    SERVICE_URL: sandbox.url,
    SERVICE_TOKEN: DEFAULT_TOKEN,
    ERP_URL: `sqlite:${erp.path}`,
    QUEUE_URL: redis.url,
    SYNC_FILE: syncFile,
    DATA_DIR: join(folder, "data"),
    HEALTH_PORT: "0",
    // A write whose predecessor is in doubt is repeated after this long.
    SETTLE_LAG_SECONDS: "1",
    LOG_LEVEL: "error",
    LOG_FORMAT: "json",
  };
  const scene: Scene = {
    folder,
    envFile,
    erp,
    sandbox,
    run: (...argv) => runCaptured([...argv, "--env-file", envFile]),
    async set(over) {
      environment = { ...environment, ...over };
      const lines = Object.entries(environment).filter(([, value]) => value !== undefined);
      await writeFile(envFile, lines.map(([name, value]) => `${name}='${value}'\n`).join(""));
    },
    edit: (change) => writeFile(syncFile, change(readSampleSyncFile())),
    async [Symbol.asyncDispose]() {
      erp[Symbol.dispose]();
      await sandbox[Symbol.asyncDispose]();
      await redis[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
  await scene.set({});
  await scene.edit((text) => text);
  return scene;
}

/** Runs one command line in this process, its output caught. */
export async function runCaptured(
  argv: readonly string[],
  {
    stdin,
    isTerminal = false,
    signal = new AbortController().signal,
  }: { stdin?: NodeJS.ReadableStream; isTerminal?: boolean; signal?: AbortSignal } = {},
): Promise<Ran> {
  const stdout = new Caught();
  const stderr = new Caught();
  const code = await runCommand(argv, { stdout, stderr, isTerminal, signal, ...(stdin && { stdin }) });
  return { code, stdout: stdout.text, stderr: stderr.text };
}

class Caught extends Writable {
  text = "";

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}
