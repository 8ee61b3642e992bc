import { appendFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Closing } from "#daemon";
import { createSampleErp, DEFAULT_ACCOUNT, startSandbox, type SampleErp, type Sandbox } from "#sandbox";
import { startRedis, type TestRedis } from "../setup/redis.ts";

/** The longest that a request may take for the daemon, in seconds. */
export const CALL_TIMEOUT_SECONDS = 2;
/** How late the service may still commit what the daemon gave up on; above every delay that a fault makes. */
export const SETTLE_LAG_SECONDS = 5;

export const syncFile = fileURLToPath(new URL("sync.yaml", import.meta.url));

/** Everything around the daemon: what it reads, what it writes to, what carries its wake-ups. */
export interface Rig extends AsyncDisposable {
  readonly folder: string;
  readonly envFile: string;
  readonly dataDir: string;
  /** The milliseconds by which the daemon's clock is off; read by it ten times a second. */
  readonly clockFile: string;
  readonly logFile: string;
  /** Keeps what the operator did and saw, beside the log. */
  note(sentence: string): void;
  /** Options of Node for the daemon. */
  readonly nodeArgs: readonly string[];
  readonly sandbox: Sandbox;
  readonly erp: SampleErp;
  readonly redis: TestRedis;
}

/** Builds the rig in a folder of its own, which is kept when `keep()` says so. */
export async function buildRig(seed: number, nodeArgs: readonly string[], keep: () => boolean): Promise<Rig> {
  const closing = new Closing();
  try {
    const folder = await mkdtemp(join(tmpdir(), `svcsync-chaos-${seed}-`));
    closing.defer(() => (keep() ? undefined : rm(folder, { recursive: true, force: true, maxRetries: 5 })));
    const sandbox = closing.use(await startSandbox({ ledgerSize: 2_000 }));
    sandbox.seed(
      "tag",
      FOREIGN_TAGS.map((name) => ({ name, color: "#000000", deactivated: false })),
    );
    const counts = { customers: 40, contacts: 80, tickets: 60, orders: 50 };
    const erp = closing.use(createSampleErp(join(folder, "erp.sqlite"), { seed, ...counts }));
    const redis = closing.use(await startRedis());
    const rig = {
      folder,
      envFile: join(folder, "chaos.env"),
      dataDir: join(folder, "data"),
      clockFile: join(folder, "clock"),
      logFile: join(folder, "svcsync.log"),
      note: (sentence: string) =>
        appendFileSync(join(folder, "operator.log"), `${new Date().toISOString()} ${sentence}\n`),
      nodeArgs,
      sandbox,
      erp,
      redis,
    };
    await writeFile(rig.clockFile, "0");
    await writeFile(rig.envFile, environment(rig), { mode: 0o600 });
    return { ...rig, [Symbol.asyncDispose]: () => closing[Symbol.asyncDispose]() };
  } catch (thrown) {
    await closing[Symbol.asyncDispose]();
    throw thrown;
  }
}

/** Tags that only the service's own people put on records. */
export const FOREIGN_TAGS = ["Fremd eins", "Fremd zwei", "Fremd drei"];

/** Everything short, so that minutes hold what else takes days. */
function environment({ sandbox, erp, redis, dataDir }: Pick<Rig, "sandbox" | "erp" | "redis" | "dataDir">): string {
  const values = {
    SERVICE_URL: sandbox.url,
    SERVICE_USERNAME: DEFAULT_ACCOUNT.username,
    SERVICE_PASSWORD: DEFAULT_ACCOUNT.password,
    SERVICE_TOKEN_LIFETIME_MINUTES: "1",
    SERVICE_CONCURRENCY: "4",
    SERVICE_CONNECT_TIMEOUT_SECONDS: CALL_TIMEOUT_SECONDS,
    SERVICE_ANSWER_TIMEOUT_SECONDS: CALL_TIMEOUT_SECONDS,
    SERVICE_CALL_TIMEOUT_SECONDS: CALL_TIMEOUT_SECONDS,
    SETTLE_LAG_SECONDS,
    ERP_URL: `sqlite:${erp.path}`,
    SYNC_FILE: syncFile,
    DATA_DIR: dataDir,
    QUEUE_URL: redis.url,
    POLL_INTERVAL_SECONDS: "1",
    SWEEP_INTERVAL_SECONDS: "4",
    DELETE_GUARD_PERCENT: "100",
    DELETE_GUARD_COUNT: "100000",
    DELIVERY_LEASE_SECONDS: "6",
    RETRY_BASE_SECONDS: "0.2",
    RETRY_MAX_SECONDS: "2",
    RETRY_ATTEMPTS: "1000",
    STOP_GRACE_SECONDS: "3",
    HEALTH_PORT: "0",
    LOG_LEVEL: "debug",
    LOG_FORMAT: "json",
  };
  return Object.entries(values)
    .map(([name, value]) => `${name}=${value}\n`)
    .join("");
}
