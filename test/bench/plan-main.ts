import { monitorEventLoopDelay } from "node:perf_hooks";
import { readSyncFile } from "#daemon";
import { systemClock } from "#model";
import { Planner, Tally } from "#pipeline";
import { KnownNames, type Service } from "#service";
import { openStore } from "#store";
import { silentLogger } from "../kit/logger.ts";
import type { PlanCost } from "./plan.ts";
import { childrenOf, processorMsOf } from "./process-facts.ts";

/** Plans all streams of a sync file, as the change guard of a daemon and the command do, and tells what it took. */
const [dataDir = "", syncFile = "", erpUrl = ""] = process.argv.slice(2);
const nanosPerMs = 1_000_000;
const never = new AbortController().signal;

const { streams } = await readSyncFile(syncFile, { ERP_URL: erpUrl });
await using store = await openStore(dataDir, { as: "operator", clock: systemClock, logger: silentLogger });
const known = new KnownNames({ load: (resource) => store.reference(resource) });
const names = (...[resource, by, value]: Parameters<Service["lookup"]>) => known.lookup(resource, by, value);
const guard = { percent: 100, count: 1_000_000, floor: 1_000_000 };

const before = heapBytes();
const delay = monitorEventLoopDelay({ resolution: 1 });
const used = process.cpuUsage();
const begun = performance.now();
delay.enable();
const planner = await Planner.open({ store, names, clock: systemClock, guard }, streams);
let updates = 0;
for (const { name, fingerprint } of streams) {
  const tally = new Tally(name, fingerprint);
  for await (const planned of planner.plan(name, never)) tally.add(planned);
  updates += tally.counts.updates;
}
delay.disable();
const seconds = (performance.now() - begun) / 1_000;
const { user, system } = process.cpuUsage(used);
const helpers = await Promise.all((await childrenOf(process.pid)).map(processorMsOf));
const helpersMs = helpers.reduce<number>((sum, ms) => sum + (ms ?? 0), 0);
const cost: PlanCost = {
  updates,
  seconds,
  processorSeconds: (user + system) / 1_000_000 + helpersMs / 1_000,
  stallMs: delay.max / nanosPerMs,
  peakBytes: process.resourceUsage().maxRSS * 1024,
  heapBytes: heapBytes() - before,
};
process.send?.(cost);
process.disconnect?.();

/** What is still in use. */
function heapBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
