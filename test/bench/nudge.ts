import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { sleep } from "#model";
import { DEFAULT_TOKEN } from "#sandbox";
import { startPostgres } from "../setup/postgres.ts";
import { DaemonProcess } from "./daemon-process.ts";
import { median, quantile, type Sizes } from "./figures.ts";
import { SandboxProcess } from "./sandbox-process.ts";

const CUSTOMERS = 20;
const POLL_SECONDS = 300;
const PATIENCE_MS = 60_000;
/** Beyond the floor between two nudged polls, so that each change stands alone. */
const PAUSE_MS = 1_200;
const CREATES = { method: "POST", resource: "customer", status: 200 } as const;
const UPDATES = { method: "PUT", resource: "customer", status: 200 } as const;

/** From a commit in PostgreSQL that a trigger notifies to the service's answer, in milliseconds. */
export interface Nudged {
  readonly pollSeconds: number;
  readonly medianMs: number;
  readonly p95Ms: number;
}

const schema = `
  create table customers (
    customer_no text primary key, name text not null, status text not null default 'Active', updated_at timestamptz not null default clock_timestamp());
  create function svcsync_notify() returns trigger language plpgsql as
    $$ begin perform pg_notify('svcsync', tg_argv[0]); return null; end $$;
  create trigger svcsync after insert or update or delete on customers
    for each statement execute function svcsync_notify('customers');
  insert into customers (customer_no, name) select n::text, 'Customer ' || n from generate_series(1, ${CUSTOMERS}) n`;

const streams = `
sources:
  erp: { adapter: sql, url: "\${ERP_URL}", listen: svcsync }
streams:
  customers:
    source: erp
    read: { table: customers, key: customer_no, changed: updated_at, overlap: 5m }
    resource: customer
    match: [customerId]
    fields:
      customerId: customer_no
      name: name
      customerStatus: { lookup: customerStatus, by: name, value: status }
`;

/** Changes one customer at a time while the next poll by schedule is minutes away. */
export async function measureNudges({ changes }: Sizes): Promise<Nudged> {
  await using sandbox = await SandboxProcess.start();
  await using postgres = await startPostgres();
  const erp = new Client({ connectionString: postgres.url });
  await erp.connect();
  await using _erp = { [Symbol.asyncDispose]: () => erp.end() };
  await erp.query(schema);
  const folder = await mkdtemp(join(tmpdir(), "svcsync-bench-"));
  await using _folder = { [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }) };
  await using _daemon = await start(folder, sandbox, postgres.url);
  await sandbox.reached(CUSTOMERS, CREATES, PATIENCE_MS);
  const delays: number[] = [];
  for (let change = 1; change <= changes; change++) {
    await sleep(PAUSE_MS);
    await erp.query("update customers set name = $1, updated_at = clock_timestamp() where customer_no = $2", [
      `Version ${change}`,
      String((change % CUSTOMERS) + 1),
    ]);
    const committedAt = Date.now();
    await sandbox.reached(change, UPDATES, PATIENCE_MS);
    const { lastAt = Number.NaN } = await sandbox.window(UPDATES);
    delays.push(lastAt - committedAt);
  }
  return { pollSeconds: POLL_SECONDS, medianMs: median(delays), p95Ms: quantile(delays, 0.95) };
}

async function start(folder: string, sandbox: SandboxProcess, erpUrl: string): Promise<DaemonProcess> {
  const syncFile = join(folder, "sync.yaml");
  const envFile = join(folder, "bench.env");
  await writeFile(syncFile, streams);
  const environment = {
    SERVICE_URL: sandbox.url,
    SERVICE_TOKEN: DEFAULT_TOKEN,
    ERP_URL: erpUrl,
    SYNC_FILE: syncFile,
    DATA_DIR: join(folder, "data"),
    POLL_INTERVAL_SECONDS: POLL_SECONDS,
    HEALTH_PORT: 0,
    LOG_FORMAT: "json",
  };
  const lines = Object.entries(environment).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(envFile, lines.join(""), { mode: 0o600 });
  return new DaemonProcess(["run", "--env-file", envFile], join(folder, "svcsync.log"));
}
