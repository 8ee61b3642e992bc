import { existsSync } from "node:fs";

/** Where new installations have their sync file. */
export const NEW_SYNC_FILE = "config/svcsync.yaml";
/** Where those of earlier versions have it. */
export const FORMER_SYNC_FILE = "config/sync.yaml";

/** The sync file where no setting names it. `both` is set where both exist: which one is meant, only a person knows. */
export function usualSyncFile(): { readonly path: string; readonly both?: string } {
  if (!existsSync(FORMER_SYNC_FILE)) return { path: NEW_SYNC_FILE };
  if (!existsSync(NEW_SYNC_FILE)) return { path: FORMER_SYNC_FILE };
  return { path: NEW_SYNC_FILE, both: `${NEW_SYNC_FILE} and ${FORMER_SYNC_FILE}` };
}
