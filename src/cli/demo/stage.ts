import { mkdir, open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Closing, readSyncFile, type Configuration } from "#daemon";
import { loadSettings, secretTexts } from "#settings";
import { createSampleErp, DEFAULT_TOKEN, startSandbox, type SampleErp, type Sandbox } from "#sandbox";
import { openLogger, Redaction } from "#telemetry";
import { readSampleSyncFile } from "../init/index.ts";
import { openInbox, WAY_BACK } from "./way-back.ts";

/** Everything that a demo or a rehearsal needs: a stand-in for the service, a sample ERP, and settings that connect them. */
export interface Stage extends AsyncDisposable {
  readonly folder: string;
  readonly logFile: string;
  readonly envFile: string;
  readonly sandbox: Sandbox;
  readonly erp: SampleErp;
  readonly configuration: Configuration;
}

/** Sets everything up in `folder`. Without `queueUrl`, the queue is svcsync's own. */
export async function setStage(folder: string, queueUrl: string | undefined): Promise<Stage> {
  const closing = new Closing();
  try {
    await mkdir(folder, { recursive: true });
    const sandbox = closing.use(await startSandbox());
    const erp = closing.use(createSampleErp(join(folder, "erp.sqlite")));
    const syncFile = join(folder, "svcsync.yaml");
    await writeFile(syncFile, `${readSampleSyncFile()}${WAY_BACK}`);
    const environment = {
      SERVICE_URL: sandbox.url,
      SERVICE_TOKEN: DEFAULT_TOKEN,
      ERP_URL: `sqlite:${erp.path}`,
      SYNC_FILE: syncFile,
      DATA_DIR: join(folder, "data"),
      POLL_INTERVAL_SECONDS: "1",
      HEALTH_PORT: "0",
      LOG_LEVEL: "debug",
      LOG_FORMAT: "json",
      ...(queueUrl === undefined ? {} : { QUEUE_URL: queueUrl }),
    };
    const envFile = join(folder, "demo.env");
    const logFile = join(folder, "svcsync.log");
    const env = await open(envFile, "w", 0o600);
    await env.writeFile(
      Object.entries(environment)
        .map(([name, value]) => `${name}=${value}\n`)
        .join(""),
    );
    await env.close();
    const { settings, secrets } = loadSettings({ envFile, environment: {} });
    const redaction = new Redaction(secretTexts(secrets));
    const log = await open(logFile, "a");
    const stream = log.createWriteStream();
    closing.defer(() => new Promise<void>((resolve) => stream.end(resolve)));
    const logger = openLogger({
      ...settings.log,
      secrets: redaction,
      destination: stream,
    });
    const configuration = {
      settings,
      secrets,
      syncFile: await readSyncFile(settings.syncFile, settings.environment),
      logger,
      redaction,
    };
    openInbox(erp, configuration.syncFile);
    return {
      folder,
      logFile,
      envFile,
      sandbox,
      erp,
      configuration,
      [Symbol.asyncDispose]: () => closing[Symbol.asyncDispose](),
    };
  } catch (thrown) {
    await closing[Symbol.asyncDispose]();
    throw thrown;
  }
}
