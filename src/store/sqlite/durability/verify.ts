import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { z } from "zod";
import { errorFacts, StopError } from "#model";

const verified = z.object({ recordCount: z.number(), bindingCount: z.number() });

/** What a whole copy holds. */
export type VerifiedBackup = z.infer<typeof verified>;

/**
 * Opens a copy of the store and reads all of it, beside the event loop: structure, indexes and checksums of SQLite, and how many
 * records and bindings it has.
 * @throws {StopError} E_BACKUP_DAMAGED when it is not a whole store.
 */
export async function verifyBackup(path: string): Promise<VerifiedBackup> {
  const ending = import.meta.url.endsWith(".ts") ? ".ts" : ".js";
  const thread = new Worker(new URL(`./verify-main${ending}`, import.meta.url), {
    workerData: path,
    execArgv: ending === ".ts" ? ["--experimental-strip-types"] : [],
  });
  try {
    const [found]: unknown[] = await once(thread, "message");
    return verified.parse(found);
  } catch (cause) {
    const message = `the copy ${path} is damaged: ${errorFacts(cause).message}`;
    throw new StopError("E_BACKUP_DAMAGED", message, { cause });
  } finally {
    await thread.terminate();
  }
}
