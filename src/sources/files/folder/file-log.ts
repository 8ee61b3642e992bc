import { matcher, parseClaimed, parseDone, type ClaimedFile } from "./done-name.ts";
import type { Folder } from "./folder.ts";
import type { FilesRead, FilesSettings } from "../schema.ts";

/**
 * Every file that a stream ever claimed and that is still there, in the order of claiming: those that were put away, and
 * those that a poll left in the processing folder. It is the stream's log; the cursor is a place in it.
 */
export async function fileLog(folder: Folder, read: FilesRead, settings: FilesSettings): Promise<ClaimedFile[]> {
  const fits = matcher(read.files);
  const done = (await folder.list(settings.done)).map(({ name }) => parseDone(name));
  const processing = (await folder.list(settings.processing)).map(({ name }) => parseClaimed(name));
  return [...done, ...processing]
    .filter((file) => file !== undefined)
    .filter(({ name }) => fits(name))
    .toSorted((a, b) => (a.stamp < b.stamp ? -1 : 1));
}

/** What of the log is still to be read. A full file tells all, so nothing before the last complete one is needed. */
export function unread(log: readonly ClaimedFile[], read: FilesRead, last: string | undefined): readonly ClaimedFile[] {
  const later = log.filter(({ stamp }) => last === undefined || stamp > last);
  if (read.kind === "delta") return later;
  const complete = later.findLastIndex(({ place, gaps }) => place === "done" && gaps === undefined);
  return later.slice(Math.max(0, complete));
}
