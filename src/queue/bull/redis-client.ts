import { Redis, type RedisOptions } from "ioredis";
import { backoffMs } from "#model";
import type { QueueAddress } from "../queue-address.ts";
import { readRedisFacts } from "./redis-facts.ts";
import { isEndOfRound, noPrimary, sentinelOptions } from "./sentinel.ts";

/** Answers have the shapes of RESP2, which BullMQ expects. */
type ClientOptions = Omit<RedisOptions, "replyMapping">;

const reconnectFirstMs = 50;
const reconnectMaxMs = 500;
const connectTimeoutMs = 5_000;
/** How long a server may take to answer before it counts as gone, in milliseconds. Longer than a worker waits for a job, see `idleMs`. */
const silenceTimeoutMs = 20_000;
const policyLine = /^maxmemory_policy:.*\r?\n/m;

/**
 * ioredis waits two seconds for a connection to close and keeps the process alive meanwhile, even if the connection was never established
 * and so never reports its end. After a disconnect there is nothing to wait for.
 */
export const partAtOnce = { disconnectTimeout: 1 } as const;

/** Pause before the next connection attempt, in milliseconds. */
function reconnectPauseMs(times: number): number {
  return backoffMs({ baseMs: reconnectFirstMs, maxMs: reconnectMaxMs }, times);
}

/** Commands wait for the connection, which reconnects without limit. Callers that must not wait go through BackendHealth. */
const steadyOptions = {
  ...partAtOnce,
  maxRetriesPerRequest: null,
  connectTimeout: connectTimeoutMs,
  socketTimeout: silenceTimeoutMs,
  retryStrategy: reconnectPauseMs,
  /**
   * Reconnects when the server takes no writes but was the primary a moment ago. The command is not repeated: on a server that stays
   * read-only it would repeat without end.
   */
  reconnectOnError: (error: Error) => error.message.startsWith("READONLY"),
} satisfies ClientOptions;

/** The connections of one queue: one for commands, and the copies on which BullMQ waits for jobs. */
export class RedisConnections {
  readonly #options: ClientOptions;
  readonly #url: string | undefined;
  readonly #all = new Set<Redis>();
  #lastError: Error | undefined;
  #serverId: string | undefined;
  readonly commands: Redis;

  constructor(place: QueueAddress) {
    const { url, sentinels } = place;
    const socket = socketOptions(url);
    this.#url = socket ? undefined : url;
    const connection = { isTls: url.startsWith("rediss:"), retryPauseMs: reconnectPauseMs };
    this.#options = { ...socket, ...(sentinels && sentinelOptions(sentinels, connection)), ...steadyOptions };
    this.commands = this.#connect({}, (facts) => (this.#serverId = readRedisFacts(facts).runId));
    this.#explainErrors(place);
  }

  /** Why there is no connection, if known. */
  get lastError(): Error | undefined {
    return this.#lastError;
  }

  /**
   * Calls `listener` each time commands have a connection. `isOther`: to another server process than before (restarted, or a promoted
   * standby), which may lack the last writes.
   */
  onReady(listener: (isOther: boolean) => void): void {
    let known: string | undefined;
    this.commands.on("ready", () => {
      const found = this.#serverId;
      listener(known !== undefined && found !== undefined && found !== known);
      known = found ?? known;
    });
  }

  /** Closes all connections; pending commands are rejected. */
  disconnect(): void {
    for (const client of this.#all) client.disconnect();
  }

  #connect(more: ClientOptions, heed: (facts: string) => void = () => undefined): Redis {
    const options = { ...this.#options, ...more };
    const client = this.#url === undefined ? new Redis(options) : new Redis(this.#url, options);
    this.#all.add(client);
    const leave = this.#keepUp(client);
    /** Without any listener an error would be thrown; the connection's owner adds its own. */
    client.on("error", () => undefined);
    const duplicate = (copied: ClientOptions = {}) => this.#connect(copied);
    return Object.assign(client, { duplicate, info: withoutPolicy(client, heed), ...leave });
  }

  /**
   * Reconnects a connection that ends unexpectedly. ioredis ends it for good when Sentinel announces another primary while the connection
   * is looking for it. Returns the methods that end it on purpose.
   */
  #keepUp(client: Redis): Pick<Redis, "disconnect" | "quit"> {
    const [disconnect, quit] = [client.disconnect.bind(client), client.quit.bind(client)];
    let isWanted = true;
    client.on("end", () => {
      if (isWanted) setTimeout(() => void client.connect().catch(() => undefined), reconnectFirstMs);
      else this.#all.delete(client);
    });
    return {
      disconnect: (reconnect = false) => {
        isWanted &&= reconnect;
        disconnect(reconnect);
      },
      quit: (...of) => {
        isWanted = false;
        return quit(...of);
      },
    };
  }

  #explainErrors(place: QueueAddress): void {
    const { sentinels } = place;
    const failures: Error[] = [];
    this.commands.on("sentinelError", (error: Error) => failures.push(error));
    this.commands.on("error", (error: Error) => {
      const round = failures.splice(0);
      this.#lastError = sentinels && isEndOfRound(error) ? noPrimary(place, sentinels.primary, round) : error;
    });
    this.commands.on("ready", () => (this.#lastError = undefined));
  }
}

/** ioredis options for the address of a unix socket; undefined for other addresses, which ioredis parses itself. */
function socketOptions(address: string): ClientOptions | undefined {
  const url = new URL(address);
  if (url.protocol !== "unix:" && url.protocol !== "redis+unix:") return undefined;
  const db = url.searchParams.get("db");
  return {
    path: decodeURIComponent(url.pathname),
    ...(url.username === "" ? {} : { username: decodeURIComponent(url.username) }),
    ...(url.password === "" ? {} : { password: decodeURIComponent(url.password) }),
    ...(db === null ? {} : { db: Number(db) }),
  };
}

/**
 * Replaces INFO. The client calls it with a callback before it is ready: `heed` gets the server's facts. BullMQ calls it without one on
 * each of its connections and prints a warning about the eviction policy. svcsync logs that once, so the line is removed for BullMQ.
 */
function withoutPolicy(client: Redis, heed: (facts: string) => void) {
  const info = client.info.bind(client);
  return (callback?: (error: Error | null | undefined, facts?: string) => void) =>
    callback
      ? info((error, facts) => {
          if (facts !== undefined) heed(facts);
          callback(error, facts);
        })
      : info().then((facts) => facts.replace(policyLine, ""));
}
