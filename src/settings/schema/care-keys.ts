import { duration } from "#model";
import { optional, withDefault } from "./key.ts";
import { orNone, text, wholeNumber } from "./values.ts";

/** What the daemon does for the store at intervals. */
export const careKeys = {
  BACKUP_EVERY: withDefault(
    orNone(duration),
    "none",
    "How often the daemon copies the store and verifies the copy, for example 12h or 1d; none for never.",
  ),
  BACKUP_KEEP: withDefault(wholeNumber(1, 1000), "7", "How many verified copies are kept; older ones are deleted."),
  BACKUP_DIR: optional(
    text,
    "/backups",
    "The folder of the copies, best on another disk. Default: the folder backups in DATA_DIR.",
  ),
  RECONCILE_EVERY: withDefault(
    orNone(duration),
    "none",
    "How often the daemon compares the service with what was written, for example 7d; it only reports. none for never.",
  ),
};
