import { chmodSync, closeSync, constants, lstatSync, mkdirSync, openSync, type Stats } from "node:fs";
import Database from "better-sqlite3";
import { StopError } from "#model";

/** How long a step waits for the short writes of another process before it fails with E_STORE_LOCKED. */
const BUSY_TIMEOUT_MS = 10_000;
/** The write-ahead log is folded into the file every 16 MB (in pages of 4 KB): rarely enough to stay out of the way. */
const CHECKPOINT_PAGES = 4_096;
/** And cut back to this size afterwards, in bytes, whatever a large transaction made of it. */
const LOG_LIMIT_BYTES = 64 * 1024 * 1024;
/**
 * What SQLite keeps of the file beside the system's own cache: with four times as much a first reading of 1,000,000 rows takes as much
 * processor time and 33 MB more of memory, and a poll of 200,000 unchanged rows is no faster either.
 */
const CACHE_KB = 8_000;
const OWNER_ONLY = 0o600;
const OTHERS = 0o077;
/** Windows has no links of this kind, and no such flag. */
const CREATE = constants.O_CREAT | constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0);
/** What SQLite puts beside a database, by the ending of its name. */
const COMPANIONS = ["-wal", "-shm", "-journal"];

/** Makes the directory, readable by its owner only, unless it exists. */
export function makeDataDir(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
}

/**
 * Makes sure that a file exists and only its owner can read it; SQLite gives its companions (-wal, -shm) the same mode.
 * An existing file is never opened here: closing it would take away the locks that this process holds on it.
 * @throws {StopError} E_STORE_FILE when it, or a companion, is a link, a device or a folder: such a thing is not touched.
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

/** Opens the file with the settings that every connection to the store needs; `isAlone` as the only one, or not at all. */
export function connect(path: string, { isAlone = false } = {}): Database.Database {
  makePrivateFile(path);
  const db = new Database(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    if (isAlone) db.pragma("locking_mode = EXCLUSIVE");
    db.pragma("journal_mode = WAL");
    // A commit survives a kill -9; steps that must survive a power cut wait for the disk beside the event loop.
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
