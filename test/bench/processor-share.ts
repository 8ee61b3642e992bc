import { execFile } from "node:child_process";
import { access, mkdir, rmdir, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { childrenOf } from "./process-facts.ts";

const run = promisify(execFile);

/** How often the kernel grants a share, in microseconds: often enough that no process stands still for long. */
const PERIOD_US = 10_000;
/** The folders of control groups, of both versions, and the files that limit processor time. */
const GROUPS = [
  { folder: "/sys/fs/cgroup/cpu", limit: (us: number) => ({ "cpu.cfs_period_us": PERIOD_US, "cpu.cfs_quota_us": us }) },
  { folder: "/sys/fs/cgroup", limit: (us: number) => ({ "cpu.max": `${us} ${PERIOD_US}` }) },
] as const;

/** Gives each process a part of a processor, as if it ran on a small machine of its own, as long as this is not disposed. */
export class ProcessorShare implements AsyncDisposable {
  readonly #processors: number;
  readonly #folders: string[] = [];
  #pinned = 0;

  /** `processors`: the part of one that each process may use. */
  constructor(processors: number) {
    this.#processors = processors;
  }

  /**
   * Limits a process and those that it started: by a control group or, where this user may make none, to one processor (the last ones first).
   * @throws {Error} when the system has neither.
   */
  async limit(pid: number): Promise<"quota" | "pinned"> {
    const pids = [pid, ...(await childrenOf(pid))];
    for (const { folder, limit } of GROUPS) {
      const group = join(folder, `svcsync-bench-${pid}`);
      const files = Object.entries(limit(Math.round(this.#processors * PERIOD_US)));
      if (await isLimited(group, files, pids)) {
        this.#folders.push(group);
        return "quota";
      }
    }
    const processor = availableParallelism() - 1 - (this.#pinned++ % availableParallelism());
    for (const each of pids) await run("taskset", ["-a", "-c", "-p", String(processor), String(each)]);
    return "pinned";
  }

  /** Call it when the processes have ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const folder of this.#folders) await rmdir(folder);
  }
}

async function isLimited(
  group: string,
  files: readonly (readonly [name: string, value: string | number])[],
  pids: readonly number[],
): Promise<boolean> {
  try {
    await mkdir(group);
  } catch {
    return false;
  }
  try {
    for (const [name, value] of files) {
      // Only the kernel makes these files; where the controller is off, there is none.
      await access(join(group, name));
      await writeFile(join(group, name), String(value));
    }
    for (const pid of pids) await writeFile(join(group, "cgroup.procs"), String(pid));
    return true;
  } catch {
    await rmdir(group);
    return false;
  }
}
