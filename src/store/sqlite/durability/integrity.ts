import type { Database } from "better-sqlite3";
import { StopError } from "#model";

/**
 * Reads the whole file and compares its structure: seconds per gigabyte.
 * @throws {StopError} E_STORE_CORRUPT when it is damaged.
 */
export function expectUndamaged(db: Database): void {
  const found = db.pragma("quick_check(1)", { simple: true });
  if (found === "ok") return;
  throw new StopError(
    "E_STORE_CORRUPT",
    `${db.name}: the store is damaged; stop, keep the file, and restore the latest backup (${String(found)})`,
  );
}
