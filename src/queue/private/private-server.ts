import { createHash } from "node:crypto";
import { once } from "node:events";
import { lstat, mkdir, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Redis } from "ioredis";
import { within, asError, sleep, StopError } from "#model";
import type { Logger } from "#telemetry";
import { partAtOnce } from "../bull/redis-client.ts";
import { spawnGuarded } from "./guarded-child.ts";
import { endLeftover, findOccupant, ownerName, pidFile } from "./leftover.ts";
import type { RedisProgram } from "./redis-program.ts";

const restartFirstMs = 100;
const restartMaxMs = 5_000;
const startTimeoutMs = 10_000;
/**
 * How often per second the server runs its background tasks (`hz`), which also end expired waits, so a poll comes up to half a second late.
 * At the default of 10, an idle server took five times the processor time.
 */
const looksPerSecond = 2;

/** A running server: our own child, or that of another live process on the same data folder. */
interface Tenure {
  /** Resolves to the server's last output when it is gone. */
  readonly ended: Promise<string>;
  end(): Promise<void>;
}

interface ServerPaths {
  readonly program: RedisProgram;
  readonly dataDir: string;
  readonly socket: string;
  readonly log: Logger;
}

/**
 * Our own Redis on a unix socket in the data folder: in memory, without eviction, ended with this process. If it dies while in use, it is
 * started again, empty.
 */
export class PrivateServer {
  readonly #place: ServerPaths;
  readonly #closing = new AbortController();
  #tenure: Tenure;
  readonly #watching: Promise<void>;

  private constructor(place: ServerPaths, tenure: Tenure) {
    this.#place = place;
    this.#tenure = tenure;
    this.#watching = this.#watch();
  }

  /**
   * Resolves when the server answers. First ends a server that a killed process left behind.
   * @throws {StopError} E_REDIS_FAILED when it does not start.
   */
  static async start(program: RedisProgram, dataDir: string, log: Logger): Promise<PrivateServer> {
    let failure: unknown = new StopError(
      "E_REDIS_FAILED",
      `no folder for the socket of the private Redis of ${dataDir}`,
    );
    for await (const socket of socketPaths(dataDir)) {
      try {
        const place = { program, dataDir, socket, log };
        return new PrivateServer(place, await takeOver(place));
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  get url(): string {
    return `unix://${pathToFileURL(this.#place.socket).pathname}`;
  }

  /** Ends the server and resolves when it is gone. */
  async end(): Promise<void> {
    this.#closing.abort();
    await this.#tenure.end();
    await this.#watching;
    await leaveFolder(this.#place.dataDir, this.#place.socket);
  }

  async #watch(): Promise<void> {
    const { signal } = this.#closing;
    let pauseMs = restartFirstMs;
    while (!signal.aborted) {
      const startedAt = performance.now();
      const lastWords = await this.#tenure.ended;
      if (signal.aborted) return;
      if (performance.now() - startedAt > restartMaxMs) pauseMs = restartFirstMs;
      this.#place.log.warn({ socket: this.#place.socket, lastWords }, "lost the private redis server");
      await this.#restart(pauseMs);
      pauseMs = Math.min(pauseMs * 2, restartMaxMs);
    }
  }

  async #restart(pauseMs: number): Promise<void> {
    const { signal } = this.#closing;
    await sleep(pauseMs, signal);
    while (!signal.aborted) {
      try {
        this.#tenure = await takeOver(this.#place);
        if (signal.aborted) await this.#tenure.end();
        return;
      } catch (error) {
        this.#place.log.error({ err: asError(error) }, "could not start the private redis server");
        await sleep(restartMaxMs, signal);
      }
    }
  }
}

async function takeOver(place: ServerPaths): Promise<Tenure> {
  const { socket, log } = place;
  const occupant = await findOccupant(socket);
  if (occupant === "owned") return await share(socket);
  if (occupant === "left behind") {
    await endLeftover(socket);
    log.info({ socket }, "ended a private redis server that was left behind");
  }
  return await launch(place);
}

async function launch({ program: { command, version }, socket, log }: ServerPaths): Promise<Tenure> {
  const listen = ["--port", "0", "--unixsocket", socket, "--unixsocketperm", "700", "--pidfile", pidFile(socket)];
  const rest = ["--hz", String(looksPerSecond)];
  const forget = ["--save", "", "--appendonly", "no", "--maxmemory-policy", "noeviction", "--dir", dirname(socket)];
  const child = spawnGuarded(command, [...listen, ...rest, ...forget]);
  const isReady = new Promise<"ready">((resolve) => {
    child.onLine((line) => /ready to accept connections/i.test(line) && resolve("ready"));
  });
  const heard = Promise.race([isReady, child.ended]);
  const answer = await within(startTimeoutMs, heard, () => `not ready after ${startTimeoutMs} ms`);
  if (answer !== "ready") {
    await child.end();
    throw new StopError("E_REDIS_FAILED", `the private ${command} did not start: ${lastLine(answer)}`);
  }
  const owner = await connectAs(ownerName, socket, (times) => Math.min(times * restartFirstMs, restartMaxMs));
  log.info({ socket, version }, "started a private redis server");
  return {
    ended: child.ended.then((lastWords) => {
      owner.disconnect();
      return lastLine(lastWords);
    }),
    async end() {
      owner.disconnect();
      await child.end();
    },
  };
}

/** Uses the server of another live process. When that server ends, this process starts its own. */
async function share(socket: string): Promise<Tenure> {
  const guest = await connectAs("svcsync-guest", socket, null);
  const ended = once(guest, "close").then(() => "its owner ended it");
  return { ended, end: async () => guest.disconnect() };
}

async function connectAs(
  connectionName: string,
  socket: string,
  retryStrategy: ((times: number) => number) | null,
): Promise<Redis> {
  const client = new Redis({ path: socket, connectionName, retryStrategy, lazyConnect: true, ...partAtOnce });
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

const lastLine = (words: string) => words.split("\n").at(-1) ?? "";

/** Most bytes in a unix socket's path: 104 on macOS and the BSDs, 108 on Linux, one of them for the terminating NUL. */
const socketPathBytes = 103;
const socketName = "queue.sock";

/**
 * Where the private server of a data folder may listen, best place first; one folder always yields the same places. They are the folder
 * itself and, if its path is too long or its file system has no sockets, a folder of our own in the temporary folder.
 */
async function* socketPaths(dataDir: string): AsyncGenerator<string> {
  const nearby = join(resolve(dataDir), socketName);
  if (fits(nearby)) yield nearby;
  const elsewhere = temporaryFolder(dataDir);
  if (fits(join(elsewhere, socketName)) && (await makePrivate(elsewhere))) yield join(elsewhere, socketName);
}

/** Removes our folder in the temporary folder, if the socket was there. */
async function leaveFolder(dataDir: string, socket: string): Promise<void> {
  const folder = temporaryFolder(dataDir);
  if (dirname(socket) === folder) await rmdir(folder).catch(() => undefined);
}

const fits = (path: string) => Buffer.byteLength(path) <= socketPathBytes;

function temporaryFolder(dataDir: string): string {
  const id = createHash("sha256").update(resolve(dataDir)).digest("hex").slice(0, 16);
  return join(tmpdir(), `svcsync-${id}`);
}

/** Creates the folder, unless it exists. Returns false if it is not ours or is open to others: anyone may have created one of that name. */
async function makePrivate(folder: string): Promise<boolean> {
  await mkdir(folder, { mode: 0o700 }).catch(() => undefined);
  const found = await lstat(folder).catch(() => undefined);
  if (!found?.isDirectory()) return false;
  const isOurs = process.getuid === undefined || found.uid === process.getuid();
  return isOurs && (found.mode & 0o077) === 0;
}
