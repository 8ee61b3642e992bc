// Loaded into the daemon before its own code: tells the parent of stalls and of memory. A process that the machine did not run
// is not stalled: only a delay during which the main thread itself used the processor counts.
import { monitorEventLoopDelay } from "node:perf_hooks";

const TICK_MS = 20;
const STALL_MS = 200;
const MEMORY_MS = 500;
let histogram;
let lookedAt = 0;
let used = process.threadCpuUsage();

function tell(message) {
  if (process.connected) process.send(message, () => {});
}

function look() {
  const now = process.threadCpuUsage();
  const cpuMs = (now.user + now.system - used.user - used.system) / 1_000;
  used = now;
  // The histogram's own timer may come after this one: then only the time since the last look shows the delay.
  const delayMs = Math.max(histogram.max / 1e6, performance.now() - lookedAt - TICK_MS);
  lookedAt = performance.now();
  histogram.reset();
  if (delayMs > STALL_MS && cpuMs > STALL_MS) tell({ kind: "stall", delayMs, cpuMs });
}

/** A collection that the parent asked for is not the daemon's own work. */
function forget() {
  used = process.threadCpuUsage();
  lookedAt = performance.now();
  histogram.reset();
}

process.on("message", (message) => {
  if (message === "watch") {
    histogram = monitorEventLoopDelay({ resolution: 10 });
    histogram.enable();
    forget();
    setInterval(look, TICK_MS).unref();
    setInterval(() => tell({ kind: "memory", ...process.memoryUsage() }), MEMORY_MS).unref();
  }
  if (message === "collect") {
    look();
    globalThis.gc();
    forget();
    tell({ kind: "collected", heapUsed: process.memoryUsage().heapUsed });
  }
});
// A fuzzer that was stopped leaves nothing behind.
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
process.channel?.unref();
