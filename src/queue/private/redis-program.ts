import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { codeOf } from "#model";
import { childEnvironment } from "#settings";
import { isFitRedis, oldestRedis } from "../bull/redis-facts.ts";

const run = promisify(execFile);

/** A Redis server program on this machine. */
export interface RedisProgram {
  readonly command: "redis-server" | "valkey-server";
  /** Its answer to `--version`, for people. */
  readonly version: string;
}

/** The program to use, if there is one, and why the others cannot be used. */
export interface RedisSearch {
  readonly program: RedisProgram | undefined;
  readonly passedOver: readonly string[];
}

const commands = ["redis-server", "valkey-server"] as const;

/** How long a program may take to report its version, in milliseconds. */
const versionTimeoutMs = 5_000;

/**
 * Looks for the first of redis-server and valkey-server on the PATH that reports a version which the queue can use. On Windows there is
 * none: a private server needs a POSIX shell and a unix socket.
 */
export async function findRedis(platform: NodeJS.Platform = process.platform): Promise<RedisSearch> {
  if (platform === "win32") return { program: undefined, passedOver: ["no private Redis server on Windows"] };
  const passedOver: string[] = [];
  for (const command of commands) {
    const found = await versionOf(command);
    const reason = found.version === undefined ? found.reason : unfitness(found.version);
    if (found.version !== undefined && reason === undefined)
      return { program: { command, version: found.version }, passedOver };
    passedOver.push(`${command} ${reason}`);
  }
  return { program: undefined, passedOver };
}

async function versionOf(command: string): Promise<{ version: string } | { version?: never; reason: string }> {
  try {
    const options = { timeout: versionTimeoutMs, killSignal: "SIGKILL", env: childEnvironment() } as const;
    const { stdout } = await run(command, ["--version"], options);
    return { version: stdout.trim() };
  } catch (thrown) {
    return { reason: codeOf(thrown) === "ENOENT" ? "is not on the PATH" : "does not report its version" };
  }
}

/** Why the queue cannot use a program of this version: `Redis server v=7.0.15 sha=…`, `Valkey server v=8.1.0`. */
function unfitness(version: string): string | undefined {
  const redis = /^Redis server v=(\S+)/.exec(version)?.[1];
  return redis === undefined || isFitRedis(redis) ? undefined : `is version ${redis}, older than ${oldestRedis}`;
}
