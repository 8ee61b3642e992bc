import { createHash } from "node:crypto";
import { lstat, mkdir, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

/** A unix socket's path has 104 bytes on macOS and the BSDs, 108 on Linux, one of them for the end. */
const socketPathBytes = 103;
const socketName = "queue.sock";

/**
 * Where the private server of a data folder may listen, best place first, always the same ones for one folder: in it,
 * or, where the path is too long or the file system has no sockets, in a folder of our own in the temporary one.
 */
export async function* socketPaths(dataDir: string): AsyncGenerator<string> {
  const nearby = join(resolve(dataDir), socketName);
  if (fits(nearby)) yield nearby;
  const elsewhere = temporaryFolder(dataDir);
  if (fits(join(elsewhere, socketName)) && (await makePrivate(elsewhere))) yield join(elsewhere, socketName);
}

/** Removes the temporary folder again, if that is where the socket was. */
export async function leaveFolder(dataDir: string, socket: string): Promise<void> {
  const folder = temporaryFolder(dataDir);
  if (dirname(socket) === folder) await rmdir(folder).catch(() => undefined);
}

const fits = (path: string) => Buffer.byteLength(path) <= socketPathBytes;

function temporaryFolder(dataDir: string): string {
  const id = createHash("sha256").update(resolve(dataDir)).digest("hex").slice(0, 16);
  return join(tmpdir(), `svcsync-${id}`);
}

/** Anyone may have made a folder of that name: only our own, closed to others, will do. */
async function makePrivate(folder: string): Promise<boolean> {
  await mkdir(folder, { mode: 0o700 }).catch(() => undefined);
  const found = await lstat(folder).catch(() => undefined);
  if (!found?.isDirectory()) return false;
  const isOurs = process.getuid === undefined || found.uid === process.getuid();
  return isOurs && (found.mode & 0o077) === 0;
}
