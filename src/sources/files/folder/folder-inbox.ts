import { randomUUID } from "node:crypto";
import { posix } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { untilAborted } from "#model";
import type { FolderInbox } from "../../inbox.ts";
import type { Folder } from "./folder.ts";

/** A folder below that of a source, as the inbox of an ERP. It shares the source's connection, so disposing it ends nothing. */
export function openFolderInbox(folder: Folder, below: string): FolderInbox {
  const at = (path: string) => posix.join(below, path);
  return {
    name: below,
    list: (path, signal) => unlessAborted(signal, () => folder.names(at(path))),
    has: (path, signal) => unlessAborted(signal, () => folder.has(at(path))),
    read: (path, signal) => unlessAborted(signal, async () => textOf(await folder.open(at(path)))),
    put: (path, text, signal) =>
      unlessAborted(signal, async () => {
        // Beside its place, because a rename cannot leave a file system.
        const temporary = at(posix.join(posix.dirname(path), `.svcsync-${randomUUID()}.tmp`));
        await folder.write(temporary, text);
        await folder.move(temporary, at(path));
      }),
    move: (from, to, signal) => unlessAborted(signal, () => folder.move(at(from), at(to))),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

async function unlessAborted<Value>(signal: AbortSignal, work: () => Promise<Value>): Promise<Value> {
  signal.throwIfAborted();
  return await untilAborted(work(), signal);
}
