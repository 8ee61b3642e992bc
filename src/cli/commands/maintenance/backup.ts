import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { counted, systemClock } from "#model";
import { verifyBackup } from "#store";
import { openStoreContext, type JsonOptions, type Registration } from "../../command-context.ts";
import { exitCode, printJson, UsageError, type Io } from "../../output/io.ts";

export const registerBackup: Registration = (cli) =>
  cli
    .command("backup", "Copy the store; the daemon may be running")
    .argument("<file>", "file to write; it must not exist yet")
    .option("--json", "as JSON")
    .action(cli.action(backup));

/** `svcsync backup FILE`: a consistent copy of the store, beside a running daemon. */
async function backup(path: string, options: JsonOptions, io: Io): Promise<number> {
  if (existsSync(path)) throw new UsageError(`${path} already exists. Choose another name.`);
  if (!existsSync(dirname(path))) throw new UsageError(`${path}: there is no folder ${dirname(path)} to write it to.`);
  await using context = await openStoreContext(options, io);
  const begunAt = systemClock.now();
  await context.store.backup(path);
  const { recordCount } = await verifyBackup(path);
  if (options.json) {
    const { size } = await stat(path);
    printJson(io.stdout, { file: path, sizeBytes: size, begunAt, recordCount });
    return exitCode.ok;
  }
  io.stdout.write(
    `The store is copied to ${path} and the copy was checked (${counted(recordCount, "record")}). To restore it, stop svcsync, put the file into DATA_DIR as svcsync.db, and delete\n` +
      "svcsync.db-wal and svcsync.db-shm beside it: they belong to the old file and would damage the new one.\n",
  );
  return exitCode.ok;
}
