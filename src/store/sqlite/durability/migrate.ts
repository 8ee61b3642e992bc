import type { Database } from "better-sqlite3";
import { StopError } from "#model";

/** The version of the file's tables; 0 for an empty file. */
export function storeVersion(db: Database): number {
  return Number(db.pragma("user_version", { simple: true }));
}

/**
 * Migrates the tables to this program's version, one transaction per version, so that a crash leaves a complete version.
 * @returns the version before.
 * @throws {StopError} E_STORE_NEWER when a newer program wrote the file: nothing is touched.
 */
export function migrate(db: Database, migrations: readonly string[]): number {
  const found = expectKnownVersion(db, migrations.length);
  for (const [version, script] of migrations.entries()) {
    if (version < found) continue;
    db.transaction(() => {
      db.exec(script);
      db.pragma(`user_version = ${version + 1}`);
    }).immediate();
  }
  return found;
}

/** The version of the file's tables. @throws {StopError} E_STORE_NEWER when a newer program than this one wrote the file. */
export function expectKnownVersion(db: Database, known: number): number {
  const found = storeVersion(db);
  if (found > known)
    throw new StopError(
      "E_STORE_NEWER",
      `the store ${db.name} has version ${found}, but this program knows versions up to ${known}; ` +
        "run the newer program, or restore the backup that was taken before it ran",
      { details: { found, known } },
    );
  return found;
}
