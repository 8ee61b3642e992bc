import { sleep } from "#model";
import type { Fault } from "#sandbox";
import type { Replica } from "../journeys/replica.ts";
import { startPostgres } from "../setup/postgres.ts";
import type { Sizes } from "./figures.ts";
import { SETTLE_MS } from "./idle.ts";
import { residentBytesOf, withChildren } from "./process-facts.ts";
import { CREATES, latencyOf, rateOf } from "./rates.ts";
import { processorMs, ReplicaGroup } from "./replica-group.ts";
import { measureRolling } from "./rolling.ts";
import type { Measured } from "./runs.ts";

const LATENCIES_MS = [0, 50];
const SEVERAL = 3;
/** Requests a second that the service lets pass. */
const LIMITS = [20, 40, 100];
const LIMITED_SECONDS = 60;
const REQUESTS_PER_NEEDED = 1.05;
const LIMIT_USED = 0.95;
const MEGABYTE = 1024 * 1024;
const SECOND_MS = 1_000;
const MINUTES_PER_DAY = 1_440;
const IDLE_MS = 60_000;

/** First loads by one replica and by three, also below a limit, what a further one costs that has nothing to do, and a restart of three one by one. */
export async function measureReplicas(sizes: Sizes): Promise<Measured[]> {
  await using server = await startPostgres({ waitsForDisk: true });
  const store = (schema: string) => ({ url: server.url, schema });
  const figures: Measured[] = [];
  for (const latencyMs of LATENCIES_MS) {
    const records = latencyMs === 0 ? sizes.load : sizes.slowLoad;
    const one = await measureLoad(1, latencyMs, records, store(`one_${latencyMs}`));
    const three = await measureLoad(SEVERAL, latencyMs, records, store(`three_${latencyMs}`));
    figures.push(
      ...loadFigures(1, latencyMs, records, one),
      ...loadFigures(SEVERAL, latencyMs, records, three),
      { what: "  ratio of records/s, three to one", value: three.rate / one.rate, digits: 2 },
      {
        what: "  ratio of processor time, three to one",
        value: sum(three.processorMs) / sum(one.processorMs),
        digits: 2,
      },
    );
  }
  for (const perSecond of LIMITS) figures.push(...(await measureLimited(perSecond, store(`limited_${perSecond}`))));
  await using group = await ReplicaGroup.start(SEVERAL, latencyOf(50), store("rolling"));
  return [...figures, ...(await measureFurther(group)), ...(await measureRolling(group))];
}

/** What a first load took; a figure for each replica, of which the first leads. */
interface Load {
  readonly rate: number;
  readonly processorMs: readonly number[];
  readonly delivered: readonly number[];
}

async function measureLoad(
  replicas: number,
  latencyMs: number,
  records: number,
  store: { readonly url: string; readonly schema: string },
): Promise<Load> {
  await using group = await ReplicaGroup.start(replicas, latencyOf(latencyMs), store);
  const { all, sandbox } = group;
  const facts = async () => ({
    processorMs: await Promise.all(all.map(processorMs)),
    delivered: await Promise.all(all.map(deliveries)),
  });
  const before = await facts();
  await group.load(records);
  const after = await facts();
  const less = (name: "processorMs" | "delivered") => after[name].map((value, at) => value - (before[name][at] ?? 0));
  const window = await sandbox.window(CREATES, 1);
  if (window.count !== records) throw new Error(`${window.count} of ${records} records were created`);
  return { rate: rateOf(window), processorMs: less("processorMs"), delivered: less("delivered") };
}

function loadFigures(replicas: number, latencyMs: number, records: number, load: Load): Measured[] {
  const who = replicas === 1 ? "one replica" : `${replicas} replicas`;
  const delivered = sum(load.delivered);
  const each = load.processorMs.flatMap((ms, at): Measured[] => [
    { what: `  seconds of processor time, ${nameOf(at)}`, value: ms / SECOND_MS, digits: 2 },
    { what: `  share of deliveries, ${nameOf(at)}, %`, value: (100 * (load.delivered[at] ?? 0)) / delivered },
  ]);
  return [
    {
      what: `first load of ${records.toLocaleString("en")}, ${latencyMs} ms latency, ${who}, records/s`,
      value: load.rate,
    },
    { what: "  seconds of processor time, all", value: sum(load.processorMs) / SECOND_MS, digits: 2 },
    ...(replicas === 1 ? [] : each),
  ];
}

/** A first load by several replicas at a service that answers 429 beyond a limit for all of them. */
async function measureLimited(
  perSecond: number,
  store: { readonly url: string; readonly schema: string },
): Promise<Measured[]> {
  const limit: Fault = { kind: "rateLimit", perSecond, retryAfterSeconds: 1 };
  await using group = await ReplicaGroup.start(SEVERAL, [limit], store);
  await group.load(perSecond * LIMITED_SECONDS);
  const [requests, refused] = [await group.sandbox.count(), await group.sandbox.count({ status: 429 })];
  const [, ...creates] = await group.sandbox.passedAt(CREATES);
  const seconds = ((creates.at(-1) ?? 0) - (creates[0] ?? 0)) / SECOND_MS;
  return [
    {
      what: `requests per needed one, ${SEVERAL} replicas, ${perSecond} a second allowed`,
      value: requests / (requests - refused),
      digits: 3,
      atMost: REQUESTS_PER_NEEDED,
    },
    {
      what: "  share of the allowed rate",
      value: creates.length / seconds / perSecond,
      digits: 3,
      atLeast: LIMIT_USED,
    },
  ];
}

/** One replica more than three, which has nothing to do. It leaves before it returns. */
async function measureFurther(group: ReplicaGroup): Promise<Measured[]> {
  const further = await group.join("further");
  await group.untilShared(SEVERAL + 1);
  await sleep(SETTLE_MS);
  const before = await processorMs(further);
  await sleep(IDLE_MS);
  const used = (await processorMs(further)) - before;
  const bytes = await withChildren(further.pid, residentBytesOf);
  further.kill("SIGTERM");
  await further.exitCode();
  await group.untilShared(SEVERAL);
  return [
    {
      what: "processor time of an idle day of a further replica, minutes",
      value: (used / IDLE_MS) * MINUTES_PER_DAY,
      digits: 1,
    },
    { what: "  memory, MB", value: bytes === undefined ? undefined : bytes / MEGABYTE },
  ];
}

/** Deliveries that ended at this replica, by its own counter. */
async function deliveries({ url }: Replica): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return sum([...text.matchAll(/^svcsync_deliveries_total\{.*\} (\d+)/gm)].map(([, count]) => Number(count)));
}

const nameOf = (at: number) => (at === 0 ? "the leader" : `replica ${at + 1}`);

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
