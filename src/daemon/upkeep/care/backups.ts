import { access, constants, mkdir, readdir, rm, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { errorFacts, StopError, errorText, grouped, type Clock } from "#model";
import { verifyBackup, type CareStore, type MaintenanceStore } from "#store";
import type { Logger } from "#telemetry";

/** Free space required in addition to the copy, in bytes, so that a backup does not fill the disk. */
const SPARE_BYTES = 200 * 1024 * 1024;
/** Names of copies made here; other files in the folder are never deleted. */
const OWN_NAME = /^svcsync-\d{8}T\d{6}Z\.db$/;

export interface BackupsDeps {
  readonly store: Pick<MaintenanceStore, "backup"> & { readonly care: CareStore };
  /** The store's own file. */
  readonly file: string;
  readonly dir: string;
  /** Whether to create a missing folder. A folder named in the settings must exist: its disk may be missing at the moment. */
  readonly isOwn: boolean;
  readonly keep: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Makes copies of the store. Each is opened and checked before an older one is deleted. */
export class Backups {
  readonly #deps: BackupsDeps;

  constructor(deps: BackupsDeps) {
    this.#deps = deps;
  }

  /** Makes one copy. Never throws: the store, the log, the metrics and a notification report a failure. */
  async make(): Promise<void> {
    const { store, clock, logger } = this.#deps;
    const triedAt = clock.now();
    try {
      const before = await store.care.backupState();
      try {
        const verified = await this.#copy(triedAt);
        await store.care.saveBackupState({ triedAt, verified });
        logger.info({ path: verified.path, sizeBytes: verified.sizeBytes }, "backup was made and verified");
        await this.#deleteOld();
      } catch (thrown) {
        const kept = before?.verified === undefined ? {} : { verified: before.verified };
        const error = errorFacts(thrown);
        logger.error({ err: error }, "backup failed");
        await store.care.saveBackupState({ triedAt, ...kept, failure: errorText(error), failureCode: error.code });
      }
    } catch (thrown) {
      logger.warn({ err: errorFacts(thrown) }, "state of the backup was not stored");
    }
  }

  async #copy(at: number) {
    const { store, dir } = this.#deps;
    await this.#expectFolder();
    await this.#expectSpace();
    const stamp = new Date(at).toISOString().replaceAll(/[-:]|\.\d+/g, "");
    const path = join(dir, `svcsync-${stamp}.db`);
    await store.backup(path);
    const { recordCount } = await verifyBackup(path);
    const { size: sizeBytes } = await stat(path);
    return { at, path, sizeBytes, recordCount };
  }

  /** @throws {StopError} E_BACKUP_FOLDER */
  async #expectFolder(): Promise<void> {
    const { dir, isOwn } = this.#deps;
    try {
      // Not `recursive`: with it, Node.js never returns if no folder can be created there, as in /proc.
      if (isOwn) await mkdir(dir, { mode: 0o700 }).catch(unlessThere);
      await access(`${dir}/.`, constants.W_OK);
    } catch (thrown) {
      throw new StopError(
        "E_BACKUP_FOLDER",
        `no backup was made: found no folder ${dir} that can be written to; expected one ${isOwn ? "in DATA_DIR" : "at BACKUP_DIR"} (${errorFacts(thrown).message})`,
        { cause: thrown },
      );
    }
  }

  /** @throws {StopError} E_BACKUP_SPACE */
  async #expectSpace(): Promise<void> {
    const { file, dir } = this.#deps;
    const [{ size }, { bavail, bsize }] = await Promise.all([stat(file), statfs(dir)]);
    const free = bavail * bsize;
    if (free >= size + SPARE_BYTES) return;
    throw new StopError(
      "E_BACKUP_SPACE",
      `no backup was made: ${dir} has ${megabytes(free)} free and needs ${megabytes(size + SPARE_BYTES)}`,
    );
  }

  /** Never throws: a copy that stays only costs space. */
  async #deleteOld(): Promise<void> {
    const { dir, keep, logger } = this.#deps;
    try {
      const copies = (await readdir(dir)).filter((name) => OWN_NAME.test(name)).toSorted();
      for (const name of copies.slice(0, Math.max(0, copies.length - keep))) await rm(join(dir, name), { force: true });
    } catch (thrown) {
      logger.warn({ err: errorFacts(thrown) }, "old backups were not deleted");
    }
  }
}

function unlessThere(thrown: NodeJS.ErrnoException): void {
  if (thrown.code !== "EEXIST") throw thrown;
}

function megabytes(bytes: number): string {
  return `${grouped(Math.ceil(bytes / 1024 / 1024))} MB`;
}
