import { matcher, parseClaimed, parseDone, type ClaimedFile } from "./done-name.ts";
import type { Folder } from "./folder.ts";
import type { FilesRead, FilesSettings } from "../schema.ts";

/**
 * Returns every file that a stream claimed and that still exists, in the order of claiming: those that were put away, and those
 * that a poll left in the processing folder. This is the stream's log, and the cursor is a place in it.
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

/**
 * Returns the part of the log that is still to be read. A full file has all records, so nothing before the last complete one is
 * needed.
 */
export function unread(log: readonly ClaimedFile[], read: FilesRead, last: string | undefined): readonly ClaimedFile[] {
  const later = log.filter(({ stamp }) => last === undefined || stamp > last);
  if (read.kind === "delta") return later;
  const complete = later.findLastIndex(({ place, gaps }) => place === "done" && gaps === undefined);
  return later.slice(Math.max(0, complete));
}

/** The last full file whose number of records later ones are compared with. */
export function lastCounted(log: readonly ClaimedFile[]): ClaimedFile | undefined {
  return log.findLast(({ place, gaps }) => place === "done" && gaps !== "partial");
}
