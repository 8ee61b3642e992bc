import Database from "better-sqlite3";
import { codeOf, messageOf, ParkError, RetryError, StopError, SyncError, type ErrorCode } from "#model";

interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
}

const FULL: Failure = {
  code: "E_STORE_FULL",
  message: "the disk of the store is full; free space or enlarge the volume, then start again",
};
const READONLY: Failure = {
  code: "E_STORE_READONLY",
  message:
    "the store cannot be written to; give the user that runs svcsync write access to the directory and its files",
};
const UNOPENED: Failure = {
  code: "E_STORE_READONLY",
  message:
    "a file of the store cannot be opened; give the user that runs svcsync write access to the directory and its files, " +
    'and look whether the disk has inodes left ("df -i")',
};
const IN_THE_WAY: Failure = {
  code: "E_STORE_FILE",
  message: "DATA_DIR is a file, or lies below one; set DATA_DIR to a folder, or move the file away",
};
const CORRUPT: Failure = {
  code: "E_STORE_CORRUPT",
  message: "the store is damaged; stop, keep the file, and restore the latest backup or rebuild the bindings",
};
const FAILED: Failure = {
  code: "E_STORE_FAILED",
  message: "the store could not be read or written; look at the disk and at the system's log",
};

/** Failures by SQLite's primary result code and, for the directory, by errno. */
const FAILURES: Readonly<Record<string, Failure>> = {
  SQLITE_FULL: FULL,
  ENOSPC: FULL,
  EDQUOT: FULL,
  SQLITE_READONLY: READONLY,
  SQLITE_PERM: READONLY,
  SQLITE_CANTOPEN: UNOPENED,
  EACCES: READONLY,
  EPERM: READONLY,
  EROFS: READONLY,
  EEXIST: IN_THE_WAY,
  ENOTDIR: IN_THE_WAY,
  SQLITE_CORRUPT: CORRUPT,
  SQLITE_NOTADB: CORRUPT,
};

/** The first two words of an extended code: SQLITE_IOERR for SQLITE_IOERR_FSYNC. */
function primaryCode(thrown: unknown): string | undefined {
  const code = codeOf(thrown);
  return code?.startsWith("SQLITE_") ? code.split("_", 2).join("_") : code;
}

/**
 * Turns an error inside the store into an error for the daemon: a StopError for a failing disk, a RetryError if another process held the
 * file for too long, a ParkError for a value that the tables cannot hold. Our own errors stay as they are.
 */
export function sqliteFailure(thrown: unknown, path: string): Error {
  if (thrown instanceof SyncError) return thrown;
  const code = primaryCode(thrown);
  if (code === "SQLITE_BUSY" || code === "SQLITE_LOCKED")
    return new RetryError("E_STORE_LOCKED", `${path}: another process is writing to the store for too long`, {
      cause: thrown,
    });
  const found = messageOf(thrown);
  if (code === "SQLITE_CONSTRAINT")
    return new ParkError("E_STORE_VALUE", `the store does not take a value of this record: ${found}`, {
      cause: thrown,
    });
  const failure = (code === undefined ? undefined : FAILURES[code]) ?? FAILED;
  return new StopError(failure.code, `${path}: ${failure.message} (${found})`, {
    cause: thrown,
    ...(code === undefined ? {} : { details: { sqlite: code } }),
  });
}

/** Whether the failure concerns one step, not the file: our own refusals, constraints and plain defects. */
export function isSqliteStepFault(thrown: unknown): boolean {
  return !(thrown instanceof Database.SqliteError) || primaryCode(thrown) === "SQLITE_CONSTRAINT";
}

/** The error of every method after the store was disposed. */
export function storeClosed(path: string): StopError {
  return new StopError("E_STORE_CLOSED", `${path}: the store was closed`);
}
