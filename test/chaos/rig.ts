import { appendFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { Closing } from "#daemon";
import { createSampleErp, DEFAULT_ACCOUNT, startSandbox, type SampleErp, type Sandbox } from "#sandbox";
import { systemClock } from "#model";
import { openStore, type Store, type StoreLocation } from "#store";
import { openLogger } from "#telemetry";
import { Door } from "./door.ts";
import { startRedis, type TestRedis } from "../setup/redis.ts";

/** Requests that may be under way at once. */
export const CONCURRENCY = 4;
export const TOKEN_LIFETIME_MINUTES = 1;

/** The longest that a request may take for the daemon, in seconds. */
export const CALL_TIMEOUT_SECONDS = 2;
/** How late the service may still commit what the daemon gave up on; above every delay that a fault makes. */
export const SETTLE_LAG_SECONDS = 5;

export const syncFile = fileURLToPath(new URL("sync.yaml", import.meta.url));

/** A machine on which the program runs. */
export interface Machine {
  readonly folder: string;
  readonly envFile: string;
  /** The milliseconds by which its clock is off; read by the program ten times a second. */
  readonly clockFile: string;
  /** Options of Node for the program. */
  readonly nodeArgs: readonly string[];
}

/** What the program reads, what it writes to, what carries its wake-ups. */
export interface World {
  readonly folder: string;
  readonly sandbox: Sandbox;
  readonly erp: SampleErp;
  readonly redis: TestRedis;
}

/** What a person works with who operates it. */
export interface Desk extends World, Machine {
  /** Keeps what the operator did and saw, beside the log. */
  note(sentence: string): void;
  /** Opens the store beside the daemon. */
  openStore(): Promise<Store>;
  readonly door: Door;
}

/** Everything around the daemon. */
export interface Rig extends Desk, AsyncDisposable {
  readonly dataDir: string;
  readonly logFile: string;
}

/** Opens a folder of its own, which is kept when `keep()` says so, and what the program reads and writes. */
export async function openWorld(seed: number, closing: Closing, keep: () => boolean): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), `svcsync-chaos-${seed}-`));
  closing.defer(() => (keep() ? undefined : rm(folder, { recursive: true, force: true, maxRetries: 5 })));
  const sandbox = closing.use(await startSandbox({ ledgerSize: 2_000 }));
  sandbox.seed(
    "tag",
    FOREIGN_TAGS.map((name) => ({ name, color: "#000000", deactivated: false })),
  );
  const counts = { customers: 40, contacts: 80, tickets: 60, orders: 50 };
  const erp = closing.use(createSampleErp(join(folder, "erp.sqlite"), { seed, ...counts }));
  letContactsMove(erp);
  return { folder, sandbox, erp, redis: closing.use(await startRedis()) };
}

/** The key of a contact names its first customer for ever. `owner_no` is the one that it belongs to now. */
function letContactsMove({ path }: SampleErp): void {
  const database = new Database(path);
  database.exec(`
    ALTER TABLE contacts ADD COLUMN moved_to TEXT;
    ALTER TABLE contacts ADD COLUMN owner_no TEXT GENERATED ALWAYS AS (coalesce(moved_to, customer_no)) VIRTUAL;
  `);
  database.close();
}

/** What a person at the desk of this world has, with the store at its location. */
export function deskOf({ folder }: World, location: StoreLocation): Pick<Desk, "note" | "openStore" | "door"> {
  const logger = openLogger({ level: "error", format: "json", secrets: [], destination: process.stderr });
  return {
    note: (sentence) => appendFileSync(join(folder, "operator.log"), `${new Date().toISOString()} ${sentence}\n`),
    door: new Door(),
    openStore: () => openStore(location, { as: "operator", clock: systemClock, logger }),
  };
}

/** Builds the rig in a folder of its own, which is kept when `keep()` says so. */
export async function buildRig(seed: number, nodeArgs: readonly string[], keep: () => boolean): Promise<Rig> {
  const closing = new Closing();
  try {
    const world = await openWorld(seed, closing, keep);
    const { folder, sandbox, erp, redis } = world;
    const dataDir = join(folder, "data");
    const rig = {
      ...world,
      ...deskOf(world, dataDir),
      envFile: join(folder, "chaos.env"),
      dataDir,
      clockFile: join(folder, "clock"),
      logFile: join(folder, "svcsync.log"),
      nodeArgs,
    };
    await writeFile(rig.clockFile, "0");
    const values = { SERVICE_URL: sandbox.url, QUEUE_URL: redis.url, DATA_DIR: dataDir };
    await writeFile(rig.envFile, environment(erp, values), { mode: 0o600 });
    return { ...rig, [Symbol.asyncDispose]: () => closing[Symbol.asyncDispose]() };
  } catch (thrown) {
    await closing[Symbol.asyncDispose]();
    throw thrown;
  }
}

/** Tags that only the service's own people put on records. */
export const FOREIGN_TAGS = ["Fremd eins", "Fremd zwei", "Fremd drei"];

/** Everything short, so that minutes hold what else takes days. `own` are the values that differ from machine to machine. */
export function environment({ path }: SampleErp, own: Readonly<Record<string, string>>): string {
  const values = {
    SERVICE_USERNAME: DEFAULT_ACCOUNT.username,
    SERVICE_PASSWORD: DEFAULT_ACCOUNT.password,
    SERVICE_TOKEN_LIFETIME_MINUTES: String(TOKEN_LIFETIME_MINUTES),
    SERVICE_CONCURRENCY: String(CONCURRENCY),
    SERVICE_CONNECT_TIMEOUT_SECONDS: CALL_TIMEOUT_SECONDS,
    SERVICE_ANSWER_TIMEOUT_SECONDS: CALL_TIMEOUT_SECONDS,
    SERVICE_CALL_TIMEOUT_SECONDS: CALL_TIMEOUT_SECONDS,
    SETTLE_LAG_SECONDS,
    ERP_URL: `sqlite:${path}`,
    SYNC_FILE: syncFile,
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
    ...own,
  };
  return Object.entries(values)
    .map(([name, value]) => `${name}=${value}\n`)
    .join("");
}
