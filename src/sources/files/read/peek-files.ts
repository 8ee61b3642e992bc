import { ParkError, type Change, type Cursor } from "#model";
import { FileFault } from "../file-fault.ts";
import { fileLog, unread } from "../folder/file-log.ts";
import { parseFilesCursor } from "../files-cursor.ts";
import type { Folder } from "../folder/folder.ts";
import { waiting } from "../folder/inbox.ts";
import { keyedRows } from "./row.ts";
import type { FilesRead, FilesSettings } from "../schema.ts";

/**
 * Returns the first rows that a poll would read, from the files where they are: claims, moves and writes nothing. Also reads files
 * that are not complete yet, as far as they go, and files whose content was applied before.
 * @throws {ParkError} E_SOURCE_FILE when a file cannot be used, E_SOURCE_CURSOR when another kind of stream made the cursor.
 */
export async function peekFiles(
  folder: Folder,
  settings: FilesSettings,
  read: FilesRead,
  cursor: Cursor | null,
  count: number,
  signal: AbortSignal,
): Promise<readonly Change[]> {
  const { last, current } = parseFilesCursor(cursor);
  const log = unread(await fileLog(folder, read, settings), read, last);
  const arrived = waiting(await folder.list(""), read);
  const files = [
    ...log.map(({ place, stored, name, stamp }) => ({
      path: `${settings[place]}/${stored}`,
      name,
      skip: current?.stamp === stamp ? current.rows : 0,
    })),
    ...arrived.map(({ name }) => ({ path: name, name, skip: 0 })),
  ];
  const changes: Change[] = [];
  for (const file of files) {
    let rows = 0;
    try {
      for await (const one of keyedRows(folder, file, read, settings.timezone)) {
        signal.throwIfAborted();
        if (++rows <= file.skip || "reason" in one) continue;
        if (changes.push({ kind: "upsert", ...one }) >= count) return changes;
      }
    } catch (thrown) {
      if (!(thrown instanceof FileFault)) throw thrown;
      const place = thrown.line === undefined ? file.name : `${file.name}:${thrown.line}`;
      throw new ParkError("E_SOURCE_FILE", `${place}: ${thrown.message}`, { cause: thrown });
    }
  }
  return changes;
}
