import { constants } from "node:fs";
import { lstat, mkdir, open, readdir, rename, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { codeOf, RetryError } from "#model";
import type { FileFacts, Folder } from "./folder.ts";

/** A folder on this machine or mounted into it. */
export function openLocalFolder(root: string): Folder {
  return {
    async list(below) {
      const names = await fileNames(root, below);
      const files = await Promise.all(names.map((name) => factsOf(root, below, name)));
      return files.filter((file) => file !== undefined).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    },
    names: (below) => fileNames(root, below),
    has: async (path) => (await factsOf(root, dirname(path), basename(path))) !== undefined,
    move: (from, to) =>
      attempt(`${from} cannot be moved to ${to} in ${root}`, async () => {
        const target = dirname(join(root, to));
        await mkdir(target, { recursive: true });
        await rename(join(root, from), join(root, to));
        await flushed(target);
      }),
    open: (path) => attempt(`${path} cannot be opened in ${root}`, () => openRegular(join(root, path))),
    write: (path, text) =>
      attempt(`${path} cannot be written in ${root}`, async () => {
        await mkdir(dirname(join(root, path)), { recursive: true });
        await writeFile(join(root, path), text, { flush: true });
      }),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** Lets a name outlive a loss of power, where the system can write down a folder. */
async function flushed(path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY).catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

/** Opens a file. Never follows a link out of the folder, and never waits for the writer of a pipe. */
async function openRegular(path: string): Promise<Readable> {
  const handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  if ((await handle.stat()).isFile()) return handle.createReadStream();
  await handle.close();
  throw new Error("it is no file");
}

/** Returns the names of a subfolder's files; none if it does not exist yet, because the first move creates it. */
async function fileNames(root: string, below: string): Promise<string[]> {
  const path = join(root, below);
  const entries = await attempt(`the folder ${path} cannot be listed`, () =>
    readdir(path, { withFileTypes: true }).catch((thrown: unknown) => {
      if (below !== "" && isMissing(thrown)) return [];
      throw thrown;
    }),
  );
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

/** Returns undefined if the file no longer exists, because another stream's poll has just moved it. */
async function factsOf(root: string, below: string, name: string): Promise<FileFacts | undefined> {
  const path = join(root, below, name);
  const facts = await attempt(`${path} cannot be looked at`, () =>
    lstat(path).catch((thrown: unknown) => {
      if (isMissing(thrown)) return undefined;
      throw thrown;
    }),
  );
  return facts && { name, size: facts.size, modifiedAt: Math.floor(facts.mtimeMs) };
}

/** @throws {RetryError} E_SOURCE_UNREACHABLE, because rights can be granted and folders mounted later. */
async function attempt<T>(failed: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const code = codeOf(cause);
    throw new RetryError("E_SOURCE_UNREACHABLE", code === undefined ? failed : `${failed} (${code})`, { cause });
  }
}

function isMissing(thrown: unknown): boolean {
  return codeOf(thrown) === "ENOENT";
}
