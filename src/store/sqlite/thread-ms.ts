const MICROS_PER_MS = 1_000;
/** Node.js 22 cannot tell it. */
const thread: Partial<Pick<NodeJS.Process, "threadCpuUsage">> = process;

/**
 * A monotonic clock of this thread's work, in milliseconds: its processor time, so that busy neighbours do not count. On Node.js 22 they do.
 */
export function threadMs(): number {
  const used = thread.threadCpuUsage?.();
  return used === undefined ? performance.now() : (used.user + used.system) / MICROS_PER_MS;
}
