import { readFile } from "node:fs/promises";
import { startPostgres } from "../setup/postgres.ts";
import type { Sizes } from "./figures.ts";
import { ProcessorShare } from "./processor-share.ts";
import { CREATES, rateOf } from "./rates.ts";
import { processorMs, ReplicaGroup } from "./replica-group.ts";
import type { Measured } from "./runs.ts";

const COUNTS = [1, 2, 3];
/** The part of one processor that each process gets: the servers and the service need the rest of two. */
const PROCESSORS = 0.1;
/** Records that are delivered before, without a limit, so that the program is compiled. */
const WARM_UP = 1_000;
/** What several processes deliver at least, as a multiple of one. A third adds little: the store carries out one batch of steps at a time. */
const LEAST_RATIO = 1.2;

/**
 * First loads by one, two and three processes, each with a part of a processor. On one small machine, several processes with whole processors
 * compete with each other and with the servers; so they would show nothing.
 */
export async function measureScaling(sizes: Sizes): Promise<Measured[]> {
  await using server = await startPostgres({ waitsForDisk: true });
  const loads: Load[] = [];
  for (const count of COUNTS) {
    const store = { url: server.url, schema: `scaling_${count}` };
    await using share = new ProcessorShare(PROCESSORS);
    await using group = await ReplicaGroup.start(count, [], store);
    loads.push(await measureLoad(group, share, sizes.slowLoad));
  }
  const [one] = loads;
  return loads.flatMap(({ rate, used, idle, how }, at): Measured[] => {
    const count = COUNTS[at] ?? 0;
    const part = how === "quota" ? `${PROCESSORS} of a processor each` : "one processor each";
    const who = count === 1 ? "one process" : `${count} processes`;
    return [
      { what: `first load of ${sizes.slowLoad.toLocaleString("en")}, ${who}, ${part}, records/s`, value: rate },
      ...(one === undefined || count === 1
        ? []
        : [
            {
              what: "  ratio of records/s to one process",
              value: rate / one.rate,
              digits: 2,
              ...(how === "quota" ? { atLeast: LEAST_RATIO } : {}),
            },
          ]),
      { what: "  used of their parts, %", value: used && (100 * used) / count },
      { what: "  idle time of the machine's processors, %", value: idle && 100 * idle },
    ];
  });
}

interface Load {
  readonly rate: number;
  /** How many times its part of a processor all processes used together. */
  readonly used: number;
  /** The part of the machine's processor time that nothing used; without any, the machine was the limit. */
  readonly idle: number | undefined;
  readonly how: "quota" | "pinned";
}

async function measureLoad(group: ReplicaGroup, share: ProcessorShare, records: number): Promise<Load> {
  await group.load(WARM_UP);
  let how: Load["how"] = "quota";
  for (const { pid } of group.all) how = await share.limit(pid);
  const usedMs = async () => (await Promise.all(group.all.map(processorMs))).reduce((sum, each) => sum + each);
  const [before, usedBefore, begunAt] = [await processorTicks(), await usedMs(), performance.now()];
  await group.load(records);
  const [after, usedAfter, endedAt] = [await processorTicks(), await usedMs(), performance.now()];
  const window = await group.sandbox.window(CREATES, WARM_UP + 1);
  if (window.count !== records) throw new Error(`${window.count} of ${records} records were created`);
  const idle = before && after && (after.idle - before.idle) / (after.all - before.all);
  const part = how === "quota" ? PROCESSORS : 1;
  const used = (usedAfter - usedBefore) / (endedAt - begunAt) / part;
  return { rate: rateOf(window), used, idle, how };
}

/** The machine's processor time since its start; undefined where the system does not tell. */
async function processorTicks(): Promise<{ idle: number; all: number } | undefined> {
  const text = await readFile("/proc/stat", "utf8").catch(() => "");
  const ticks = /^cpu +(.*)$/m.exec(text)?.[1]?.split(" ").map(Number);
  const [, , , idle] = ticks ?? [];
  return ticks && idle !== undefined ? { idle, all: ticks.reduce((sum, each) => sum + each, 0) } : undefined;
}
