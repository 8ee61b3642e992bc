import { readFile } from "node:fs/promises";

const MS_PER_TICK = 10;

/** The most memory that a process ever held, in bytes; undefined where the system does not tell (it is Linux that does). */
export function peakBytesOf(pid: number): Promise<number | undefined> {
  return memoryOf(pid, "VmHWM");
}

/** The memory that it holds now, in bytes; undefined where the system does not tell. */
export function residentBytesOf(pid: number): Promise<number | undefined> {
  return memoryOf(pid, "VmRSS");
}

async function memoryOf(pid: number, name: "VmHWM" | "VmRSS"): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

/** Processor time of a process; undefined where the system does not tell. */
export async function processorMsOf(pid: number): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // Behind the name, which may hold anything: the state, ten other facts, then time in the program and in the system.
  const [user, system] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 13);
  return user === undefined ? undefined : (Number(user) + Number(system)) * MS_PER_TICK;
}

/** The processes that a process started and that still run. */
export async function childrenOf(pid: number): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
  return children.split(" ").filter(Boolean).map(Number);
}
