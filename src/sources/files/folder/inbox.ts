import type { Clock } from "#model";
import { matcher } from "./done-name.ts";
import type { FilesCursor } from "../files-cursor.ts";
import type { FileFacts, Folder } from "./folder.ts";
import type { FilesRead } from "../schema.ts";

/** The files of a stream that wait in the folder itself. */
export interface ArrivedFiles {
  /** Names of files that are complete. */
  readonly ready: readonly string[];
  readonly seen: FilesCursor["seen"];
}

/** The stream's files that wait in the folder itself, complete or not, in the order of their names. */
export function waiting(here: readonly FileFacts[], read: FilesRead): readonly FileFacts[] {
  const fits = matcher(read.files);
  return here.filter(({ name }) => fits(name) && !(read.ready === "companion" && name.endsWith(read.companion)));
}

export async function arrivals(
  folder: Folder,
  read: FilesRead,
  before: FilesCursor["seen"],
  clock: Clock,
): Promise<ArrivedFiles> {
  const here = await folder.list("");
  const names = new Set(here.map(({ name }) => name));
  const seen: FilesCursor["seen"] = {};
  const ready: string[] = [];
  for (const { name, size, modifiedAt } of waiting(here, read)) {
    const last = before[name];
    const same = last !== undefined && last.size === size && last.modifiedAt === modifiedAt;
    // Where the clock was set back since, the time begins again.
    const since = Math.min(same ? last.since : Infinity, clock.now());
    const complete =
      read.ready === "atOnce" ||
      (read.ready === "companion" ? names.has(name + read.companion) : same && clock.now() - since >= read.stableFor);
    if (complete) ready.push(name);
    else seen[name] = { size, modifiedAt, since };
  }
  return { ready, seen };
}
