import { execFile } from "node:child_process";
import { chown, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { sleep } from "#model";
import { spawnGuarded, type GuardedChild, type GuardedChildOptions } from "#queue";

const startTimeoutMs = 60_000;

/** Starts a server that ends with this process, and waits until it says a line that matches `ready`. */
export async function startServer(
  command: string,
  args: readonly string[],
  ready: RegExp,
  options: GuardedChildOptions = {},
): Promise<GuardedChild> {
  const child = spawnGuarded(command, args, options);
  const isReady = new Promise<"ready">((resolve) => {
    child.onLine((line) => ready.test(line) && resolve("ready"));
  });
  const timeout = new AbortController();
  const isLate = sleep(startTimeoutMs, timeout.signal);
  const lastWords = await Promise.race([isReady, child.ended, isLate.then(() => "it was too slow")]);
  timeout.abort();
  if (lastWords === "ready") return child;
  await child.end();
  throw new Error(`${command} did not start: ${lastWords}`);
}

/** A folder that is removed again, owned by whoever runs the server in it. */
export async function disposableFolder(owner: Owner | undefined): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), "svcsync-test-"));
  if (owner) await chown(path, owner.uid, owner.gid);
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }),
  };
}

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** Database servers refuse to run as root: then they run as `nobody`. Undefined where this process is not root. */
export async function unprivilegedOwner(): Promise<Owner | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const run = promisify(execFile);
  const id = async (flag: string) => Number((await run("id", [flag, "nobody"])).stdout);
  return { uid: await id("-u"), gid: await id("-g") };
}
