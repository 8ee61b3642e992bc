import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Child } from "./child.ts";
import type { Sizes } from "./figures.ts";
import { load } from "./loaded.ts";
import { measured, type Figure, type Measured } from "./runs.ts";

const MEGABYTE = 1024 * 1024;

/** Of 100,000 records. `heapGrowth`: what is kept at the end beside what is kept at the beginning. */
const TARGETS = { columnSeconds: 5, expressionSeconds: 10, stallMs: 50, heapGrowthMb: 20 };

/** One edit in each stream of the sync file that comes with svcsync: another column, or an expression in its own process. */
const COLUMN = {
  "shortName: short_name": "shortName: name1",
  "firstName: first_name": "firstName: last_name",
  "erpReferenceNumber: ticket_no": "erpReferenceNumber: subject",
  "referenceNumber: reference": "referenceNumber: order_no",
};
const EXPRESSION = Object.fromEntries(
  Object.keys(COLUMN).map((line) => {
    const [field, column] = line.split(": ");
    return [line, `${field}: { expr: "$replace(${column}, /<[^<>]+>/, ' ') & '!'" }`];
  }),
);

/** What the plan of changed mappings took. */
export interface PlanCost {
  readonly updates: number;
  readonly seconds: number;
  /** Of the process and of those that evaluate expressions. */
  readonly processorSeconds: number;
  /** The longest time for which nothing else of the process could run. */
  readonly stallMs: number;
  readonly peakBytes: number;
  /** Kept after the plan, beyond what was kept before it. */
  readonly heapBytes: number;
}

/** Plans of changed mappings, after one load. */
export async function measurePlans({ large }: Sizes, runs: number): Promise<Figure[]> {
  await using loaded = await load(large);
  const words = await readFile(loaded.syncFile, "utf8");
  const planned = async (name: string, edits: Readonly<Record<string, string>>): Promise<PlanCost> => {
    const syncFile = join(loaded.folder, `${name}.yaml`);
    await writeFile(syncFile, edited(words, edits));
    await using child = new Child(
      "plan-main.ts",
      [join(loaded.folder, "data"), syncFile, loaded.erpUrl],
      [...process.execArgv, "--expose-gc"],
    );
    return await child.next(isCost);
  };
  return await measured(runs, async () => [
    ...figures("a changed column", await planned("column", COLUMN), TARGETS.columnSeconds),
    ...figures("a changed expression", await planned("expression", EXPRESSION), TARGETS.expressionSeconds),
  ]);
}

function edited(words: string, edits: Readonly<Record<string, string>>): string {
  return Object.entries(edits).reduce((text, [line, by]) => {
    if (!text.includes(`${line}\n`)) throw new Error(`the sync file has no line "${line}"`);
    return text.replace(`${line}\n`, `${by}\n`);
  }, words);
}

function figures(what: string, cost: PlanCost, atMost: number): Measured[] {
  return [
    {
      what: `plan of ${what}, ${cost.updates.toLocaleString("en")} updates, seconds of processor time`,
      value: cost.processorSeconds,
      digits: 1,
      atMost,
    },
    { what: "  seconds", value: cost.seconds, digits: 1 },
    { what: "  longest stall, ms", value: cost.stallMs, atMost: TARGETS.stallMs },
    { what: "  most memory, MB", value: cost.peakBytes / MEGABYTE },
    { what: "  heap kept, MB", value: cost.heapBytes / MEGABYTE, digits: 1, atMost: TARGETS.heapGrowthMb },
  ];
}

function isCost(message: unknown): message is PlanCost {
  return typeof message === "object" && message !== null && "processorSeconds" in message;
}
