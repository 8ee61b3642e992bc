import { createReadStream } from "node:fs";
import { mkdir, readdir, rename, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { RetryError } from "#model";
import type { FileFacts, Folder } from "./folder.ts";

/** A folder on this machine or mounted into it. */
export function openLocalFolder(root: string): Folder {
  return {
    async list(below) {
      const entries = await readdir(join(root, below), { withFileTypes: true }).catch((cause: unknown) => {
        if (below !== "") return [];
        throw new RetryError("E_SOURCE_UNREACHABLE", `the folder ${root} cannot be listed`, { cause });
      });
      const files: FileFacts[] = [];
      for (const entry of entries) {
        if (!entry.isFile()) continue;
        const { size, mtimeMs } = await stat(join(root, below, entry.name));
        files.push({ name: entry.name, size, modifiedAt: Math.floor(mtimeMs) });
      }
      return files.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    },
    async move(from, to) {
      await mkdir(dirname(join(root, to)), { recursive: true });
      await rename(join(root, from), join(root, to));
    },
    open: (path) => Promise.resolve(createReadStream(join(root, path))),
    async write(path, text) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
