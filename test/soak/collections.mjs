// Loaded into the daemon before everything else: collects garbage from tasks of the platform, between JavaScript and not in it.
// What a native library then frees, it frees without a JavaScript context, which has ended whole processes.
import { setTimeout as sleep } from "node:timers/promises";

const { gc } = globalThis;
const MINORS_PER_MAJOR = 20;
/** After each collection the program gets three times as long as it took, so that a busy machine still does its work. */
const WORK_PER_COLLECTION = 3;
const SHORTEST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 200;
let count = 0;

async function collect() {
  for (;;) {
    const startedAt = performance.now();
    await gc({ type: count % MINORS_PER_MAJOR === 0 ? "major" : "minor", execution: "async" });
    count += 1;
    const tookMs = performance.now() - startedAt;
    const pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, tookMs * WORK_PER_COLLECTION));
    await sleep(pauseMs, undefined, { ref: false });
  }
}

void collect();
process.once("exit", () => process.stdout.write(`${JSON.stringify({ level: "info", msg: "collected", count })}\n`));
