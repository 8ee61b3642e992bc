import type { Logger } from "#telemetry";

/** With 256 MB, a first load of 10,000 records ends; with 160 MB, the kernel kills it (docs/guides/sizing.md). */
export const MEMORY_FLOOR_BYTES = 256 * 2 ** 20;
const MB = 2 ** 20;

/**
 * Warns where the container, the pod or the unit may use less memory than svcsync needs: the kernel would kill it later without a word.
 * `limitBytes`: of the control group; 0 where there is none.
 */
export function warnOfLittleMemory(logger: Logger, limitBytes = process.constrainedMemory()): void {
  if (limitBytes === 0 || limitBytes >= MEMORY_FLOOR_BYTES) return;
  const advice = "give the container 1 GB; the kernel may kill svcsync during a load, without a line in this log";
  const [limitMb, floorMb] = [Math.floor(limitBytes / MB), MEMORY_FLOOR_BYTES / MB];
  logger.warn({ limitMb, floorMb, advice }, "memory limit is below what svcsync needs");
}
