import { chmodSync, closeSync, constants, lstatSync, mkdirSync, openSync, type Stats } from "node:fs";
import Database from "better-sqlite3";
import { StopError } from "#model";

/** How long a step waits for the short writes of another process before it fails with E_STORE_LOCKED. */
const BUSY_TIMEOUT_MS = 10_000;
/** Log size at which SQLite copies it into the file, in pages of 4 KB (16 MB): rare enough not to disturb other work. */
const CHECKPOINT_PAGES = 4_096;
/** Size to which SQLite truncates the log after a checkpoint, in bytes, however large a transaction made it. */
const LOG_LIMIT_BYTES = 64 * 1024 * 1024;
/**
 * SQLite's own page cache, in addition to the system's. With four times as much, a first read of 1,000,000 rows takes as much processor
 * time and 33 MB more memory, and a poll of 200,000 unchanged rows is no faster.
 */
const CACHE_KB = 8_000;
const OWNER_ONLY = 0o600;
const OTHERS = 0o077;
/** Windows has neither such links nor this flag. */
const CREATE = constants.O_CREAT | constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0);
/** Suffixes of the files that SQLite puts beside a database. */
const COMPANIONS = ["-wal", "-shm", "-journal"];

/** Creates the directory, readable only by its owner, unless it exists. */
export function makeDataDir(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
}

/**
 * Makes sure that the file exists and only its owner can read it; SQLite gives -wal and -shm the same mode. Never opens an existing file:
 * closing it would release the locks that this process holds on it.
 * @throws {StopError} E_STORE_FILE when the file or one beside it is a link, a device or a folder: it is not touched.
 */
export function makePrivateFile(path: string): void {
  for (const companion of COMPANIONS) found(path + companion);
  const facts = found(path);
  if (facts === undefined) closeSync(openSync(path, CREATE, OWNER_ONLY));
  else if ((facts.mode & OTHERS) !== 0 && facts.uid === process.getuid?.()) chmodSync(path, OWNER_ONLY);
}

function found(path: string): Stats | undefined {
  const facts = lstatSync(path, { throwIfNoEntry: false });
  if (facts === undefined || facts.isFile()) return facts;
  const kind = facts.isSymbolicLink() ? "a link" : facts.isDirectory() ? "a folder" : "a device, a pipe or a socket";
  throw new StopError(
    "E_STORE_FILE",
    `${path} is ${kind}, and svcsync keeps its store in files of its own: move it away, or set DATA_DIR to another folder`,
    { details: { path } },
  );
}

/** Opens an existing file for a reader. The system call that would write to it is refused. */
export function connectReader(path: string): Database.Database {
  return new Database(path, { timeout: BUSY_TIMEOUT_MS, readonly: true, fileMustExist: true });
}

/** Opens the file with the settings that every connection to the store needs; `isAlone` fails unless it is the only connection. */
export function connect(path: string, { isAlone = false } = {}): Database.Database {
  makePrivateFile(path);
  const db = new Database(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    if (isAlone) db.pragma("locking_mode = EXCLUSIVE");
    db.pragma("journal_mode = WAL");
    // A commit survives a kill -9. Steps that must survive a power cut also wait for the disk, outside the event loop.
    db.pragma("synchronous = NORMAL");
    db.pragma("foreign_keys = ON");
    db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    db.pragma(`journal_size_limit = ${LOG_LIMIT_BYTES}`);
    db.pragma(`cache_size = -${CACHE_KB}`);
    return db;
  } catch (thrown) {
    db.close();
    throw thrown;
  }
}
