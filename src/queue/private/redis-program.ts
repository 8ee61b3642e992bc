import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { StopError } from "#model";
import { childEnvironment } from "#settings";

const run = promisify(execFile);

/** A Redis server program on this machine. */
export interface RedisProgram {
  readonly command: "redis-server" | "valkey-server";
  /** Its answer to `--version`, for people. */
  readonly version: string;
}

const commands = ["redis-server", "valkey-server"] as const;

const waysToInstall = [
  "Debian, Ubuntu: sudo apt-get install redis-server.",
  "Fedora, RHEL: sudo dnf install valkey (before Fedora 41 and RHEL 10: redis).",
  "Alpine: sudo apk add redis.",
  "macOS: brew install redis.",
  "Windows: in WSL, as on Debian.",
  "Or set QUEUE_URL to a Redis or PostgreSQL server that runs elsewhere.",
].join("\n");

/** How long a program may take to report its version, in milliseconds. */
const versionTimeoutMs = 5_000;

/** The first of redis-server and valkey-server on the PATH that reports its version, or undefined. */
export async function findRedis(): Promise<RedisProgram | undefined> {
  for (const command of commands) {
    try {
      const options = { timeout: versionTimeoutMs, killSignal: "SIGKILL", env: childEnvironment() } as const;
      const { stdout } = await run(command, ["--version"], options);
      return { command, version: stdout.trim() };
    } catch {
      continue;
    }
  }
  return undefined;
}

/**
 * Finds a Redis server on the PATH. `cause` is why it could not be installed, if that was tried.
 * @throws {StopError} E_REDIS_MISSING, with one sentence per common system on how to install it.
 */
export async function getRedis(cause?: unknown): Promise<RedisProgram> {
  const found = await findRedis();
  if (!found) throw missing(cause);
  return found;
}

function missing(cause: unknown): StopError {
  const message = `neither redis-server nor valkey-server is on the PATH, or does not tell its version.\n${waysToInstall}`;
  return new StopError("E_REDIS_MISSING", message, cause === undefined ? {} : { cause });
}
