import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createSampleErp, type SampleErp } from "#sandbox";
import { DaemonProcess } from "./daemon-process.ts";
import { SandboxProcess } from "./sandbox-process.ts";
import { writeEnvironment } from "./stage.ts";

export const POLL_SECONDS = 30;
/** The four streams of the sync file that comes with svcsync. */
export const STREAMS = 4;

/** An installation after its first load, with the sync file that comes with svcsync and a service that runs on. */
export interface Loaded extends AsyncDisposable {
  readonly folder: string;
  readonly syncFile: string;
  readonly envFile: string;
  readonly erpUrl: string;
  readonly erp: SampleErp;
}

/** Loads so many records, a quarter of them in each stream. */
export async function load(records: number, { pollSeconds = POLL_SECONDS } = {}): Promise<Loaded> {
  const folder = await mkdtemp(join(tmpdir(), "svcsync-bench-"));
  const each = records / STREAMS;
  const rows = { customers: each, contacts: each, tickets: each, orders: each };
  const erp = createSampleErp(join(folder, "erp.sqlite"), rows);
  const syncFile = join(folder, "sync.yaml");
  await copyFile(fileURLToPath(new URL("../../config/svcsync.yaml", import.meta.url)), syncFile);
  const sandbox = await SandboxProcess.start();
  const erpUrl = `sqlite:${erp.path}`;
  const envFile = await writeEnvironment(folder, sandbox, { syncFile, erpUrl, pollSeconds });
  await new DaemonProcess(["sync", "--env-file", envFile], join(folder, "load.log")).ended();
  return {
    folder,
    syncFile,
    envFile,
    erpUrl,
    erp,
    async [Symbol.asyncDispose]() {
      erp[Symbol.dispose]();
      await sandbox[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
