import type { ErrorFacts } from "#model";
import type { Queue } from "#queue";
import type { Metrics } from "#telemetry";
import type { Closing } from "./closing.ts";
import { openNotices } from "./notices.ts";
import type { Configuration, Systems } from "./systems.ts";

/** What runs beside the pipeline for the people who answer for it. No delivery depends on it. */
export interface Upkeep {
  run(signal: AbortSignal): Promise<void>;
  /**
   * The last look, once `run` has ended and while the queue still answers; resolves to what waits, for a bounded time, until
   * the last messages are sent. `stopped`: why the daemon cannot continue.
   */
  finish(stopped: ErrorFacts | undefined): Promise<() => Promise<void>>;
}

/** Puts the upkeep of a daemon together, as far as the settings ask for it. */
export function openUpkeep(
  configuration: Configuration,
  parts: Systems,
  queue: Queue,
  metrics: Metrics,
  closing: Closing,
): Upkeep {
  const notices = openNotices(configuration, parts, queue, metrics, closing);
  return {
    run: async (signal) => {
      await notices?.run(signal);
    },
    finish: async (stopped) => (await notices?.finish(stopped)) ?? (() => Promise.resolve()),
  };
}
