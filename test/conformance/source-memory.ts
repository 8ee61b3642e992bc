import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect } from "vitest";
import type { SourceHarness } from "./source-harness.ts";
import { rows } from "./source-reading.ts";
import { never } from "../kit/outcome.ts";

const rowCount = 4_000;
const padding = "x".repeat(5_000);
/** A table that is kept exceeds it by far; pages and drivers' buffers need half of it at most. */
const keptBytes = 12 * 1024 * 1024;

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

/** Twice, with the event loop between: what lies outside of the heap is let go after its owner was collected. */
async function heapBytes(): Promise<number> {
  collectGarbage();
  await setImmediate();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Reads 20 MB and watches how much of it stays. */
export async function flatMemory(erp: SourceHarness): Promise<void> {
  for (let at = 0; at < rowCount; at += 1_000) await erp.put(rows(1_000, padding, `P${at / 1_000}`));
  const before = await heapBytes();
  let peak = before;
  let count = 0;
  let batches = 0;
  for await (const { changes } of erp.stream({ pageSize: 200 }).changes(null, never)) {
    count += changes.length;
    if (++batches % 5 === 0) peak = Math.max(peak, await heapBytes());
  }
  expect(count).toBeGreaterThanOrEqual(rowCount);
  expect(peak - before).toBeLessThan(keptBytes);
}
