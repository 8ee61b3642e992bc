import { Child } from "../child.ts";
import type { Sizes } from "../figures.ts";
import { storeFolder } from "../reading/staging.ts";
import type { Measured } from "../runs.ts";

/** The work of one case, in milliseconds of processor time of the thread. */
export interface Stall {
  readonly what: string;
  /** Of the longest turn of the event loop. */
  readonly longestMs: number;
  readonly processorMs: number;
}

const AT_MOST_MS = 20;
/** Below it, work shows little of what a large store does to caches. */
const SMALLEST = 100_000;

/** How long work on many rows keeps the event loop from others, in stores of these sizes. */
export async function measureStalls({ growth }: Sizes): Promise<Measured[]> {
  const figures: Measured[] = [];
  for (const records of growth.filter((size) => size >= SMALLEST)) figures.push(...(await stallsOf(records)));
  return figures;
}

async function stallsOf(records: number): Promise<Measured[]> {
  await using folder = await storeFolder();
  await using child = new Child("stalls/stalls-main.ts", [folder.path, String(records)]);
  const stalls = await child.next(isStalls);
  await child.ended();
  return stalls.flatMap(({ what, longestMs, processorMs }) => [
    {
      what: `longest turn, ms: ${what}, store of ${records.toLocaleString("en")}`,
      value: longestMs,
      digits: 1,
      atMost: AT_MOST_MS,
    },
    { what: "  processor time of the whole, ms", value: processorMs },
  ]);
}

function isStalls(message: unknown): message is readonly Stall[] {
  return Array.isArray(message);
}
