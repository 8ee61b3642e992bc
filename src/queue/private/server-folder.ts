import { createHash } from "node:crypto";
import { lstat, mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { StopError } from "#model";

/** A unix socket's path has 104 bytes on macOS and the BSDs, 108 on Linux, one of them for the end. */
const socketPathBytes = 103;
const socketName = "queue.sock";

/** Where the private server of a data folder may listen, best place first: always the same ones for one folder. */
export async function socketPaths(dataDir: string): Promise<string[]> {
  const nearby = join(resolve(dataDir), socketName);
  const id = createHash("sha256").update(resolve(dataDir)).digest("hex").slice(0, 16);
  const elsewhere = join(tmpdir(), `svcsync-${id}`);
  const fitting = [nearby, join(elsewhere, socketName)].filter((path) => Buffer.byteLength(path) <= socketPathBytes);
  if (fitting.some((path) => path.startsWith(elsewhere)) && !(await makePrivate(elsewhere))) fitting.pop();
  if (fitting.length > 0) return fitting;
  const message = `no place for the socket of the private Redis: ${nearby} is longer than ${socketPathBytes} bytes`;
  throw new StopError("E_REDIS_FAILED", message);
}

/** Anyone may have made a folder of that name in the temporary one: only our own, closed to others, will do. */
async function makePrivate(folder: string): Promise<boolean> {
  await mkdir(folder, { mode: 0o700 }).catch(() => undefined);
  const found = await lstat(folder).catch(() => undefined);
  if (!found?.isDirectory()) return false;
  const isOurs = process.getuid === undefined || found.uid === process.getuid();
  return isOurs && (found.mode & 0o077) === 0;
}
