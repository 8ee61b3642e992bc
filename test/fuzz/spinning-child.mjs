// Keeps its thread busy for so much processor time, or waits to be stopped, and then ends: `node --import probe.mjs spinning-child.mjs MS`.
import { setTimeout as pause } from "node:timers/promises";

// The probe lets the channel keep nothing alive.
setTimeout(() => {}, 60_000);
process.on("message", async (message) => {
  if (message !== "watch") return;
  await pause(100);
  const before = process.threadCpuUsage();
  while (process.threadCpuUsage(before).user < Number(process.argv[2]) * 1_000);
  process.send({ kind: "ready" });
  await pause(1_500);
  process.send({ kind: "done" });
});
