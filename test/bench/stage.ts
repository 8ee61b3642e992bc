import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createSampleErp, DEFAULT_TOKEN, type SampleErp } from "#sandbox";
import { DaemonProcess } from "./daemon-process.ts";
import type { SandboxProcess } from "./sandbox-process.ts";

const template = fileURLToPath(new URL("sync.yaml", import.meta.url));

/** Requests at once, for svcsync and for the loop that it is compared with. */
export const CONCURRENCY = 16;

/** A field of the template, and what gives it the same values with a pattern. */
const PLAIN_PATH = "info: { from: remarks, own: create }";
const OWN_EXPRESSION = `info: { expr: "$replace(remarks, /<[^<>]+>/, ' ')", own: create }`;

export interface StageSettings {
  /** The database and the schema of the store, where it is not in SQLite. */
  readonly store?: { readonly url: string; readonly schema: string };
  readonly logLevel?: "debug" | "info";
  readonly pollSeconds?: number;
  /** How far a poll reads back. */
  readonly overlap?: string;
  /** Maps one field by an expression that has to be evaluated in a process of its own. */
  readonly ownExpression?: boolean;
  /** What goes back, as the sync file has it under `returns`, into an inbox of its own that is called `inbox`. */
  readonly returns?: { readonly text: string; readonly inboxUrl: string };
}

/** The environment file of an installation in this folder. */
export async function writeEnvironment(
  folder: string,
  service: Pick<SandboxProcess, "url">,
  of: Pick<StageSettings, "logLevel" | "pollSeconds" | "store"> & {
    readonly erpUrl: string;
    readonly syncFile?: string;
  },
): Promise<string> {
  const environment = {
    SERVICE_URL: service.url,
    SERVICE_TOKEN: DEFAULT_TOKEN,
    SERVICE_CONCURRENCY: CONCURRENCY,
    ERP_URL: of.erpUrl,
    SYNC_FILE: of.syncFile ?? template,
    DATA_DIR: join(folder, "data"),
    MASS_GUARD_PERCENT: 100,
    POLL_INTERVAL_SECONDS: of.pollSeconds ?? 30,
    STORE_URL: of.store?.url ?? "",
    STORE_SCHEMA: of.store?.schema ?? "",
    HEALTH_PORT: 0,
    LOG_LEVEL: of.logLevel ?? "info",
    LOG_FORMAT: "json",
  };
  const file = join(folder, "bench.env");
  const lines = Object.entries(environment).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(file, lines.join(""), { mode: 0o600 });
  return file;
}

/** One installation: an ERP with so many customers, a data directory, and the daemons that are started on them. */
export class Stage implements AsyncDisposable {
  readonly erp: SampleErp;
  readonly folder: string;

  private constructor(folder: string, customers: number) {
    this.folder = folder;
    this.erp = createSampleErp(join(folder, "erp.sqlite"), { customers, contacts: 0, tickets: 0, orders: 0 });
    // What the ERP had deleted before the first load is never created: here every row shall count.
    for (const { customer_no, deleted } of this.erp.all("customers"))
      if (deleted) this.erp.change("customers", [customer_no], { deleted: 0 });
  }

  static async set(customers: number): Promise<Stage> {
    return new Stage(await mkdtemp(join(tmpdir(), "svcsync-bench-")), customers);
  }

  /** The next daemon begins from nothing. */
  async forget(): Promise<void> {
    await rm(join(this.folder, "data"), { recursive: true, force: true });
  }

  /** The program of the distribution in a process of its own, with a private Redis server. */
  async start(command: "run" | "sync", sandbox: SandboxProcess, settings: StageSettings = {}): Promise<DaemonProcess> {
    const envFile = await this.configure(sandbox.url, settings);
    return new DaemonProcess([command, "--env-file", envFile], join(this.folder, "svcsync.log"));
  }

  /** Writes the settings and the sync file of a daemon; resolves with the file of the settings. */
  async configure(serviceUrl: string, settings: StageSettings = {}): Promise<string> {
    const syncFile = join(this.folder, "sync.yaml");
    const streams = await readFile(template, "utf8");
    const remarks = settings.ownExpression ? OWN_EXPRESSION : PLAIN_PATH;
    await writeFile(
      syncFile,
      withReturns(
        streams.replace("overlap: 5m", `overlap: ${settings.overlap ?? "5m"}`).replace(PLAIN_PATH, remarks),
        settings.returns,
      ),
    );
    const erpUrl = `sqlite:${this.erp.path}`;
    return await writeEnvironment(this.folder, { url: serviceUrl }, { ...settings, erpUrl, syncFile });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.erp[Symbol.dispose]();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function withReturns(streams: string, returns: StageSettings["returns"]): string {
  if (returns === undefined) return streams;
  const inbox = `  inbox: { adapter: sql, url: "${returns.inboxUrl}", timezone: UTC }\n`;
  return streams.replace("\nstreams:", `${inbox}\nstreams:`) + returns.text;
}
