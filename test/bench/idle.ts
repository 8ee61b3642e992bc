import { stat } from "node:fs/promises";
import { join } from "node:path";
import { sleep } from "#model";
import { DaemonProcess } from "./daemon-process.ts";
import type { Sizes } from "./figures.ts";
import { load, POLL_SECONDS, STREAMS } from "./loaded.ts";
import { measured, type Figure, type Measured } from "./runs.ts";

const MEGABYTE = 1024 * 1024;
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Until V8 has given back what the start took: it collects garbage three times for that, 100 s apart, each 0.1 to 0.4 s long. */
export const SETTLE_MS = 240_000;

/** With four streams polled every 30 s and 100,000 records. */
export const IDLE_TARGETS = { minutesPerDay: 3, memoryMb: 140 };

/** What a daemon takes that has nothing to do. One load serves all runs: each is a window of some polls. */
export async function measureIdle({ large, idlePolls }: Sizes, runs: number): Promise<Figure[]> {
  await using loaded = await load(large);
  await using daemon = new DaemonProcess(["run", "--env-file", loaded.envFile], join(loaded.folder, "idle.log"));
  await sleep(SETTLE_MS);
  const store = join(loaded.folder, "data/svcsync.db");
  return await measured(runs, () => measureWindow(daemon, idlePolls, large, store));
}

/** Processor time of a window, extrapolated, and memory; the private queue server counts as a part of the daemon. */
async function measureWindow(daemon: DaemonProcess, polls: number, large: number, store: string): Promise<Measured[]> {
  const windowMs = polls * POLL_SECONDS * SECOND_MS;
  const before = await daemon.processorMs();
  await sleep(windowMs);
  const after = await daemon.processorMs();
  const used = before === undefined || after === undefined ? undefined : after - before;
  const held = await daemon.residentBytes();
  return [
    {
      what: `processor time of an idle day, ${STREAMS} streams, ${large.toLocaleString("en")} records, minutes`,
      value: used === undefined ? undefined : (used / windowMs) * (DAY_MS / MINUTE_MS),
      digits: 1,
      atMost: IDLE_TARGETS.minutesPerDay,
    },
    { what: "  memory, MB", value: held === undefined ? undefined : held / MEGABYTE, atMost: IDLE_TARGETS.memoryMb },
    { what: "  store, MB", value: (await stat(store)).size / MEGABYTE },
  ];
}
