import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { queueLocation, type Configuration } from "#daemon";
import { systemClock, type Finding } from "#model";
import { openQueue, type QueueKind } from "#queue";
import { attempt } from "./attempt.ts";

const queueWords: Readonly<Record<QueueKind, string>> = {
  redis: "redis answers",
  postgres: "postgres answers",
  private: "its own Redis can be started",
  "in-process":
    "it is in-process, because QUEUE_URL is not set and the PATH has no usable redis-server or valkey-server",
};

/** Checks that the queue answers, or that a private server can be started. */
export async function checkQueue({
  settings,
  secrets,
  logger,
  signal,
}: Pick<Configuration, "settings" | "secrets" | "logger"> & { readonly signal: AbortSignal }): Promise<Finding[]> {
  return attempt(
    "queue",
    async () => {
      await using folder = await folderBeside(settings.dataDir);
      const location = queueLocation({ ...settings, dataDir: folder.path }, secrets);
      await using queue = await openQueue(location, { clock: systemClock, logger });
      await queue.ping();
      return [{ subject: "queue", verdict: "ok", message: queueWords[queue.kind] }];
    },
    signal,
  );
}

/**
 * A folder of its own instead of the daemon's: if two private servers start in one folder, each removes the other's
 * socket, also when it ends.
 */
async function folderBeside(dataDir: string): Promise<AsyncDisposable & { readonly path: string }> {
  const own = await mkdtemp(join(dataDir, "check-")).catch(() => undefined);
  return {
    path: own ?? dataDir,
    [Symbol.asyncDispose]: async () => void (own && (await rm(own, { recursive: true, force: true }))),
  };
}
