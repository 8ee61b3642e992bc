import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sleep } from "#model";
import type { WriteEntry } from "#sandbox";
import { until } from "../journeys/stage.ts";
import type { ReplicaGroup } from "./replica-group.ts";
import type { Measured } from "./runs.ts";

const CUSTOMERS = 200;
const CHANGE_EVERY_MS = 200;
const STEADY_MS = 10_000;
const OLD = "$trim(name1 & ' ' & name2)";
const MARK = "Mapped anew: ";
const TARGETS = { gapMs: 2_000, old: 0 };

/** Restarts all replicas one by one, the leader last, with another mapping, while the ERP changes five times a second. */
export async function measureRolling(group: ReplicaGroup): Promise<Measured[]> {
  await group.load(CUSTOMERS);
  const changing = new AbortController();
  const changed = change(group, changing.signal);
  const begunAt = Date.now();
  await sleep(STEADY_MS);
  const restartedAt = Date.now();
  await remap(join(group.stage.folder, "sync.yaml"));
  const switchedAt = await restartAll(group);
  await until("all are mapped anew", async () =>
    (await group.sandbox.records("customer")).every(({ name }) => isNew(name)),
  );
  await sleep(STEADY_MS);
  const endedAt = Date.now();
  changing.abort();
  await changed;
  await group.untilApplied();
  const writes = await group.sandbox.writes("customer");
  const newAt = writes.findIndex(isMappedAnew);
  const old = writes.slice(newAt).filter((write) => !isMappedAnew(write));
  return [
    { what: "longest gap between two writes, steady changes, ms", value: longestGap(writes, begunAt, restartedAt) },
    {
      what: "  while three replicas restart with another mapping, ms",
      value: longestGap(writes, restartedAt, endedAt),
      atMost: TARGETS.gapMs,
    },
    { what: "  records mapped by the old file after the first by the new one", value: old.length, atMost: TARGETS.old },
    {
      what: "  from the stop of the last one with the old file to the first record by the new one, ms",
      value: (writes[newAt]?.at ?? Number.NaN) - switchedAt,
    },
  ];
}

async function change({ stage }: ReplicaGroup, signal: AbortSignal): Promise<void> {
  const customers = stage.erp.all("customers");
  for (let number = 1; !signal.aborted; number++) {
    const customer = customers[number % customers.length];
    if (customer) stage.erp.renameCustomer(customer.customer_no, `Fassung ${number}`);
    await sleep(CHANGE_EVERY_MS, signal);
  }
}

async function remap(syncFile: string): Promise<void> {
  const text = await readFile(syncFile, "utf8");
  const other = text.replace(OLD, `'${MARK}' & ${OLD}`);
  if (other === text) throw new Error(`the sync file has no "${OLD}"`);
  await writeFile(syncFile, other);
}

/** Resolves to the moment at which the last one with the old file was told to stop. */
async function restartAll(group: ReplicaGroup): Promise<number> {
  const [leader, ...others] = group.all;
  if (!leader) throw new Error("there is no replica to restart");
  let stoppedAt = 0;
  for (const replica of [...others, leader]) {
    stoppedAt = Date.now();
    replica.kill("SIGTERM");
    const code = await replica.exitCode();
    if (code !== 0) throw new Error(`a replica ended with code ${code}:\n${replica.log.slice(-2_000)}`);
    const at = group.all.indexOf(replica);
    group.all[at] = await group.join(`again-${at + 1}`);
  }
  return stoppedAt;
}

/** Between two writes of this span, or from its begin to the first and from the last to its end. */
function longestGap(writes: readonly WriteEntry[], from: number, to: number): number {
  const moments = [from, ...writes.map(({ at }) => at).filter((at) => at > from && at < to), to];
  return Math.max(...moments.slice(1).map((at, index) => at - (moments[index] ?? at)));
}

/** Each change of the ERP here is one of the name, so each write has it. */
function isMappedAnew({ sent }: WriteEntry): boolean {
  return typeof sent === "object" && sent !== null && "name" in sent && isNew(sent["name"]);
}

function isNew(name: unknown): boolean {
  return typeof name === "string" && name.startsWith(MARK);
}
