import { readdir, readFile } from "node:fs/promises";

const NANOS_PER_MS = 1_000_000;

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

/** Processor time of a process's threads; undefined where the system does not tell. Its ticks of 10 ms miss what an idle one does. */
export async function processorMsOf(pid: number): Promise<number | undefined> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const used = await Promise.all(
    threads.map(async (thread) => Number.parseInt(await readFile(`/proc/${pid}/task/${thread}/schedstat`, "utf8"), 10)),
  ).catch(() => []);
  return used.length === 0 ? undefined : used.reduce((sum, nanos) => sum + nanos, 0) / NANOS_PER_MS;
}

/** The processes that still run of those that a process started, and of those that these started. */
export async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
  const children = text.split(" ").filter(Boolean).map(Number);
  return [...children, ...(await Promise.all(children.map(childrenOf))).flat()];
}

/** A figure of a process and of those that it started, in sum; undefined where the system does not tell. */
export async function withChildren(
  pid: number,
  figureOf: (pid: number) => Promise<number | undefined>,
): Promise<number | undefined> {
  const figures = await Promise.all([pid, ...(await childrenOf(pid))].map(figureOf));
  return figures.includes(undefined) ? undefined : figures.reduce<number>((sum, figure) => sum + (figure ?? 0), 0);
}
