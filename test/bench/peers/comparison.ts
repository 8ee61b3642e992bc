import type { Fault, SampleErp } from "#sandbox";
import { SandboxProcess } from "../sandbox-process.ts";
import type { Peer } from "./peer.ts";
import type { RunningLoad } from "./running-load.ts";
import { verdictOn, type Verdict } from "./verdict.ts";

const CREATED = { method: "POST", resource: "customer", status: 200 } as const;
const UPDATED = { method: "PUT", resource: "customer", status: 200 } as const;
const CHANGED_ROWS = 100;
const PATIENCE_MS = 3_600_000;
/** The most creates that may have been begun when the system was killed: svcsync journals four for each of 16 requests at once. */
const BEGUN = 64;

/** One complete run, as the service saw it, and what it cost. */
export interface Run extends Verdict {
  /** From the start of the program until its work is done. */
  readonly seconds: number;
  /** From the first answer of the service to the last one: without the start of the program. */
  readonly secondsOfRequests: number;
  readonly peakMegabytes: number;
  readonly processorSeconds: number;
  readonly requests: number;
  readonly creates: number;
  readonly updates: number;
}

/** What one system did at one latency. */
export interface Figures {
  readonly peer: string;
  readonly latencyMs: number;
  readonly customers: number;
  readonly firstLoad: Run;
  /** The next run, after {@link CHANGED_ROWS} rows of the ERP changed. */
  readonly changes: Run;
  /** A first load that was killed at half its creates, and the run after it. */
  readonly afterKill: Run & {
    readonly createdBefore: number;
    /** From the start of the program until every customer is created but {@link BEGUN}: the others cannot have been in flight. */
    readonly secondsToOthers: number;
    /** How much of that passed before the first create: the start, and the look at what the service already has. */
    readonly secondsToCreate: number;
  };
}

/** Two first loads into empty services: one is left alone and followed by changes, the other one is killed. */
export async function measure(peer: Peer, erp: SampleErp, latencyMs: number): Promise<Figures> {
  const faults: Fault[] = latencyMs > 0 ? [{ kind: "latency", ms: latencyMs }] : [];
  const customers = erp.all("customers").length;
  return {
    peer: peer.name,
    latencyMs,
    customers,
    ...(await loadAndChanges(peer, erp, faults)),
    afterKill: await killed(peer, erp, faults),
  };
}

async function loadAndChanges(peer: Peer, erp: SampleErp, faults: readonly Fault[]) {
  await using sandbox = await SandboxProcess.start(faults);
  await peer.forget();
  const firstLoad = await complete(peer, sandbox, erp);
  changeRows(erp);
  return { firstLoad, changes: await complete(peer, sandbox, erp) };
}

async function killed(peer: Peer, erp: SampleErp, faults: readonly Fault[]) {
  await using sandbox = await SandboxProcess.start(faults);
  await peer.forget();
  {
    await using load = await peer.load(sandbox.url);
    const half = Math.floor(erp.all("customers").length / 2);
    await Promise.race([sandbox.reached(half, CREATED, PATIENCE_MS), endsTooSoon(load)]);
    await load.kill();
  }
  const createdBefore = await sandbox.count(CREATED);
  const startedAt = Date.now();
  const others = sandbox
    .reached(erp.all("customers").length - BEGUN, CREATED, PATIENCE_MS)
    .then(() => (Date.now() - startedAt) / 1000);
  const run = await complete(peer, sandbox, erp);
  const { firstAt = startedAt } = await sandbox.window(CREATED, createdBefore);
  return {
    createdBefore,
    ...run,
    secondsToOthers: await others,
    secondsToCreate: (firstAt - startedAt) / 1000,
  };
}

async function endsTooSoon(load: RunningLoad): Promise<never> {
  await load.finished();
  throw new Error("the load ended before it could be killed");
}

async function complete(peer: Peer, sandbox: SandboxProcess, erp: SampleErp): Promise<Run> {
  const [requestsBefore, createsBefore, updatesBefore] = await countsOf(sandbox);
  const startedAt = Date.now();
  await using load = await peer.load(sandbox.url);
  const { peakBytes, processorMs } = await load.finished();
  const seconds = (Date.now() - startedAt) / 1000;
  const [requests, creates, updates] = await countsOf(sandbox);
  const { firstAt = 0, lastAt = 0 } = await sandbox.window({}, requestsBefore);
  return {
    seconds,
    secondsOfRequests: (lastAt - firstAt) / 1000,
    peakMegabytes: peakBytes / 1e6,
    processorSeconds: processorMs / 1000,
    requests: requests - requestsBefore,
    creates: creates - createsBefore,
    updates: updates - updatesBefore,
    ...(await verdictOn(sandbox, erp)),
  };
}

async function countsOf(sandbox: SandboxProcess): Promise<[requests: number, creates: number, updates: number]> {
  return [await sandbox.count(), await sandbox.count(CREATED), await sandbox.count(UPDATED)];
}

/** Spread over the table: new names, warnings and statuses. */
function changeRows(erp: SampleErp): void {
  const rows = erp.all("customers");
  const step = Math.floor(rows.length / CHANGED_ROWS);
  for (let change = 0; change < CHANGED_ROWS; change++) {
    const row = rows[change * step]!;
    const values = [
      { name1: `${row.name1} neu` },
      { warning: `${row.warning ?? ""}!` },
      { status: row.status === "A" ? "I" : "A" },
    ];
    erp.change("customers", [row.customer_no], values[change % values.length]!);
  }
}
