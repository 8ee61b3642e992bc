import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { sleep } from "#model";
import { RETURNS } from "../../journeys/returning.ts";
import { builtProgram } from "../../setup/built-program.ts";
import { startPostgres } from "../../setup/postgres.ts";
import { ask } from "../../store/postgres-place.ts";
import { median, quantile, type Sizes } from "../figures.ts";
import type { Measured } from "../runs.ts";
import { SandboxProcess } from "../sandbox-process.ts";
import { Stage } from "../stage.ts";

const run = promisify(execFile);
const CUSTOMERS = 200;
const POLL_SECONDS = 5;
const CREATES = { method: "POST", resource: "customer", status: 200 } as const;
const UPDATES = { method: "PUT", resource: "customer", status: 200 } as const;
const PATIENCE_MS = 600_000;
const CHANGES = 100;
/** Between two reports: 3,600 in an hour are a Friday afternoon of some hundred technicians. */
const PAUSE_MS = 1_000;

/** Beyond the poll interval, as the design of the lane asks for. */
const WAY_BACK_TARGETS = { beyondPollMs: 2_000, processorRatio: 1.05 };

const inboxOf = (url: string) => ({
  text: RETURNS.replaceAll("source: erp", "source: inbox").replace("every: 1s", `every: ${POLL_SECONDS}s`),
  inboxUrl: url,
});

/** Makes the inbox as a DBA does, without the rights of users that this server lacks. */
async function makeInbox(stage: Stage, url: string): Promise<void> {
  const envFile = await stage.configure("http://127.0.0.1:9", { returns: inboxOf(url) });
  const { stdout } = await run(builtProgram, ["returns", "ddl", "--dialect", "postgres", "--env-file", envFile]);
  await ask(url, stdout.replaceAll(/^grant .*$/gm, ""));
}

/**
 * From the approval in the service to the inbox in PostgreSQL, which waits for its disk, while customers change too. The end is the begin of the
 * transaction that adds the report, by the database's clock.
 */
export async function measureWayBack({ reports }: Sizes): Promise<Measured[]> {
  await using postgres = await startPostgres({ waitsForDisk: true });
  await using stage = await Stage.set(CUSTOMERS);
  await makeInbox(stage, postgres.url);
  await using sandbox = await SandboxProcess.start();
  await using _daemon = await stage.start("run", sandbox, {
    pollSeconds: POLL_SECONDS,
    returns: inboxOf(postgres.url),
  });
  await sandbox.reached(CUSTOMERS, CREATES, PATIENCE_MS);
  const customers = await sandbox.records("customer");
  const rows = stage.erp.all("customers");
  const approvedAt = new Map<string, number>();
  for (let report = 0; report < reports; report++) {
    await sleep(PAUSE_MS * (0.5 + Math.random()));
    const { id, at } = await sandbox.approve(customers[report % customers.length]!.id);
    approvedAt.set(String(id), at);
    stage.erp.renameCustomer(rows[report % rows.length]!.customer_no, `Fassung ${report}`);
  }
  const arrived = await untilArrived(postgres.url, reports);
  const delays = arrived.map(({ id, at }) => Number(at) - approvedAt.get(id)!);
  return [
    {
      what: `from the approval to the inbox, looks every ${POLL_SECONDS} s, ${reports} reports, median ms`,
      value: median(delays),
    },
    {
      what: "  95 of 100 within ms",
      value: quantile(delays, 0.95),
      atMost: POLL_SECONDS * 1_000 + WAY_BACK_TARGETS.beyondPollMs,
    },
  ];
}

async function untilArrived(url: string, count: number): Promise<{ id: string; at: string }[]> {
  for (const until = Date.now() + PATIENCE_MS; ;) {
    const rows = await ask<{ id: string; at: string }>(
      url,
      "SELECT service_id::text AS id, extract(epoch FROM written_at) * 1000 AS at FROM svcsync_returns",
    );
    if (rows.length === count) return rows;
    if (Date.now() > until) throw new Error(`only ${rows.length} of ${count} reports arrived`);
    await sleep(PAUSE_MS);
  }
}

/** A first load and some changes, without and with a stream of reports that finds nothing, in turn. */
export async function measureBeside({ rounds, load }: Sizes): Promise<Measured[]> {
  await using postgres = await startPostgres();
  await using stage = await Stage.set(load);
  await makeInbox(stage, postgres.url);
  const without: Taken[] = [];
  const beside: Taken[] = [];
  for (let round = 0; round < rounds; round++) {
    without.push(await forward(stage, load, round));
    beside.push(await forward(stage, load, round, inboxOf(postgres.url)));
  }
  const figures = (what: string, name: keyof Taken): Measured[] => {
    const off = median(without.map((taken) => taken[name]));
    const on = median(beside.map((taken) => taken[name]));
    return [
      { what: `${what}, processor ms`, value: off },
      { what: "  with returns", value: on },
      { what: "  ratio", value: on / off, digits: 2, atMost: WAY_BACK_TARGETS.processorRatio },
    ];
  };
  return [
    ...figures(`first load of ${load.toLocaleString("en")}`, "loadMs"),
    ...figures(`${CHANGES} changes`, "changesMs"),
  ];
}

/** Processor time of the daemon. */
interface Taken {
  readonly loadMs: number;
  readonly changesMs: number;
}

async function forward(
  stage: Stage,
  load: number,
  round: number,
  returns?: ReturnType<typeof inboxOf>,
): Promise<Taken> {
  await stage.forget();
  await using sandbox = await SandboxProcess.start();
  const settings = { pollSeconds: POLL_SECONDS, ...(returns === undefined ? {} : { returns }) };
  await using daemon = await stage.start("run", sandbox, settings);
  await sandbox.reached(load, CREATES, PATIENCE_MS);
  const loaded = (await daemon.processorMs()) ?? Number.NaN;
  const rows = stage.erp.all("customers").slice(0, CHANGES);
  for (const { customer_no } of rows)
    stage.erp.renameCustomer(customer_no, `Fassung ${round} ${returns === undefined ? "ohne" : "mit"}`);
  await sandbox.reached(CHANGES, UPDATES, PATIENCE_MS);
  const changed = (await daemon.processorMs()) ?? Number.NaN;
  return { loadMs: loaded, changesMs: changed - loaded };
}
