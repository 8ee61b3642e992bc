import { Redis, type RedisOptions } from "ioredis";
import { backoffMs } from "#model";
import type { QueueAddress } from "../queue-address.ts";
import { readRedisFacts } from "./redis-facts.ts";
import { isEndOfRound, noPrimary, sentinelOptions } from "./sentinel.ts";

/** Answers come in the shapes of RESP2, which is what BullMQ reads. */
type ClientOptions = Omit<RedisOptions, "replyMapping">;

const reconnectFirstMs = 50;
const reconnectMaxMs = 500;
const connectTimeoutMs = 5_000;
/** A server that says nothing for so long while asked is gone. Above the longest that a worker waits for a job, see `idleMs`. */
const silenceTimeoutMs = 20_000;
const policyLine = /^maxmemory_policy:.*\r?\n/m;

/**
 * ioredis waits two seconds for a connection to close, and keeps the process alive: also for one that was never established,
 * which reports no end. After a disconnect here there is nothing to wait for.
 */
export const partAtOnce = { disconnectTimeout: 1 } as const;

/** Before the connection is tried again, in milliseconds. */
function reconnectPauseMs(times: number): number {
  return backoffMs({ baseMs: reconnectFirstMs, maxMs: reconnectMaxMs }, times);
}

/** Commands wait for the connection, which reconnects without limit: callers that must not wait ask Reach first. */
const steadyOptions = {
  ...partAtOnce,
  maxRetriesPerRequest: null,
  connectTimeout: connectTimeoutMs,
  socketTimeout: silenceTimeoutMs,
  retryStrategy: reconnectPauseMs,
  /**
   * A replica that was the primary a moment ago: connect again. The command is not sent again: on a server that stays read-only that would
   * have no end.
   */
  reconnectOnError: (error: Error) => error.message.startsWith("READONLY"),
} satisfies ClientOptions;

/** The connections of one queue: the one for commands, and those that BullMQ copies from it for its waiting. */
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

  /** Why there is no connection, as far as is known. */
  get lastError(): Error | undefined {
    return this.#lastError;
  }

  /**
   * Calls `listener` each time commands have a connection. `isOther`: to another process than the time before, such as a server
   * that was started again or a replica that was promoted. It may lack what the last one took.
   */
  onReady(listener: (isOther: boolean) => void): void {
    let known: string | undefined;
    this.commands.on("ready", () => {
      const found = this.#serverId;
      listener(known !== undefined && found !== undefined && found !== known);
      known = found ?? known;
    });
  }

  /** Cuts all of them; what was asked and not answered is rejected. */
  disconnect(): void {
    for (const client of this.#all) client.disconnect();
  }

  #connect(more: ClientOptions, heed: (facts: string) => void = () => undefined): Redis {
    const options = { ...this.#options, ...more };
    const client = this.#url === undefined ? new Redis(options) : new Redis(this.#url, options);
    this.#all.add(client);
    const leave = this.#keepUp(client);
    /** The owner of a connection listens too; this keeps an error without a listener from being thrown. */
    client.on("error", () => undefined);
    const duplicate = (copied: ClientOptions = {}) => this.#connect(copied);
    return Object.assign(client, { duplicate, info: withoutPolicy(client, heed), ...leave });
  }

  /**
   * ioredis ends a connection for good when Sentinel tells of another primary while the connection looks for it. One that ends without being asked
   * to is made again. Returns the ways to ask.
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

/** An address of a unix socket as ioredis wants it; others it reads itself. */
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
 * INFO, as BullMQ and the client itself call it. The client calls it back before it is ready: `heed` learns of which server.
 * BullMQ reads the facts of the server on each of its connections and prints what it thinks of the eviction policy;
 * svcsync logs that once, so the line is kept from it.
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
