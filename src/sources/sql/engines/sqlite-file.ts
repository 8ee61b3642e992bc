import { accessSync, closeSync, constants, openSync, readFileSync, readSync, statSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { messageOf, ParkError } from "#model";
import { faultCode } from "./network-fault.ts";

/** How long a read waits for a writer of the ERP that holds the file. */
const busyTimeoutMs = 5_000;
const megabyte = 1024 * 1024;
/** The largest file in WAL mode that is read into memory where SQLite cannot open it. */
const copyLimitMb = 64;
/** Where a file says that its journal is a write-ahead log: both bytes are then 2. */
const walPlace = 18;
const walMode = 2;

/** A file that is open for reading. */
export interface OpenedFile {
  readonly database: Database.Database;
  /** True if it is a copy in memory, because SQLite may not write beside the file. */
  readonly isCopy: boolean;
}

/** The path in an address: `sqlite:/erp.db`, `sqlite:///erp.db`, `file:///erp.db`; on Windows also `sqlite:C:\erp.db`, `sqlite:///C:/erp.db`. */
export function sqlitePath(url: string, platform: NodeJS.Platform = process.platform): string {
  const windows = platform === "win32";
  if (/^file:/i.test(url)) return fileURLToPath(url, { windows });
  const path = url.replace(/^sqlite:(\/\/)?/i, "");
  return windows ? path.replace(/^\/(?=[a-z]:)/i, "") : path;
}

/** Identifies the file at a path, so that a replacement is noticed; undefined if there is none. */
export function fileAt(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}/${ino}`;
  } catch {
    return undefined;
  }
}

/** Identifies what a file holds now, with its log: a copy of it is spent as soon as this changes. */
export function contentAt(path: string): string {
  const { dev, ino, size, mtimeNs } = statSync(path, { bigint: true });
  return `${dev}/${ino}/${size}/${mtimeNs}/${logSize(path)}`;
}

/**
 * Opens a file for reading. In WAL mode SQLite writes beside the file even to read it. Where it may not, a file whose log is empty is read
 * into memory.
 * @throws {ParkError} E_SOURCE_WAL when that would lose what the log holds, or take too much memory.
 */
export function openFile(path: string): OpenedFile {
  try {
    const database = opened(path);
    try {
      // Only a first read shows whether SQLite can read.
      database.prepare("select count(*) from sqlite_schema where 1 = 0").get();
      return { database, isCopy: false };
    } catch (thrown) {
      database.close();
      throw thrown;
    }
  } catch (thrown) {
    if (!isRefused(thrown) || !isInWalMode(path)) throw thrown;
    return { database: copyOf(path, thrown), isCopy: true };
  }
}

/** Opens the file. Adds its path to errors, because SQLite does not say which file it could not open. */
function opened(path: string): Database.Database {
  try {
    return new Database(path, { readonly: true, fileMustExist: true, timeout: busyTimeoutMs });
  } catch (thrown) {
    if (thrown instanceof Error) thrown.message = `${path}: ${thrown.message}`;
    throw thrown;
  }
}

function isRefused(thrown: unknown): boolean {
  return /^SQLITE_(READONLY|CANTOPEN|PERM)/.test(faultCode(thrown) ?? "");
}

function isInWalMode(path: string): boolean {
  try {
    const header = Buffer.alloc(walPlace + 2);
    const file = openSync(path, "r");
    try {
      readSync(file, header, 0, header.length, 0);
    } finally {
      closeSync(file);
    }
    return header[walPlace] === walMode;
  } catch {
    // A file that cannot be read has no mode that would explain it.
    return false;
  }
}

/** Reads the file into memory. Each writer writes to the log first, so nothing was written if the log is empty all the time. */
function copyOf(path: string, cause: unknown): Database.Database {
  if (logSize(path) > 0) throw walFault(path, `its log ${path}-wal holds changes`, cause);
  const { size } = statSync(path);
  if (size > copyLimitMb * megabyte)
    throw walFault(
      path,
      `it has ${Math.ceil(size / megabyte)} MB, and up to ${copyLimitMb} MB are read into memory`,
      cause,
    );
  const before = contentAt(path);
  const bytes = readFileSync(path);
  if (contentAt(path) !== before || logSize(path) > 0) throw walFault(path, "the ERP is writing to it", cause);
  bytes.fill(1, walPlace, walPlace + 2);
  return new Database(bytes, { readonly: true });
}

/** How many bytes the log beside a file has; 0 if there is none. */
function logSize(path: string): number {
  return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

function walFault(path: string, why: string, cause: unknown): ParkError {
  const { uid, username } = user();
  const folder = dirname(path);
  const right = isWritable(folder) ? "may not write its -wal and -shm files in" : "may not write in";
  return new ParkError(
    "E_SOURCE_WAL",
    `${path} is in WAL mode, and the user ${uid}${username} ${right} the folder ${folder}, which SQLite needs to read it ` +
      `(${messageOf(cause)}). It cannot be read without that: ${why}`,
    { cause, details: { path, folder, uid } },
  );
}

function user(): { readonly uid: number; readonly username: string } {
  try {
    const { uid, username } = userInfo();
    return { uid, username: ` (${username})` };
  } catch {
    // A container's user may have no name.
    return { uid: process.getuid?.() ?? -1, username: "" };
  }
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
