import { splitHosts, StopError } from "#model";

/** The prefix if neither the address nor the caller gives one. */
const defaultPrefix = "svcsync";
const prefixShape = /^[a-z_][a-z0-9_]{0,40}$/i;
/** `/mymaster`, `/mymaster/0` */
const primaryShape = /^\/([^/]+)(?:\/(\d*))?$/;
const sentinelPort = 26379;

export interface QueueAddress {
  /** The address without our own parameter, with only the first of its hosts. */
  readonly url: string;
  /** The prefix of Redis keys, or the name of the PostgreSQL schema. */
  readonly prefix: string;
  /** The address for people: no user, no password, no parameters. */
  readonly label: string;
  /** Together with the prefix, distinguishes queues on servers of one kind. Hosts do not, because a server may have several names. */
  readonly database: string;
  /** The Sentinels to ask for the Redis server. */
  readonly sentinels?: Sentinels;
}

/** Redis Sentinel: the primary's name and the Sentinels to ask. Their credentials are not those of the server. */
export interface Sentinels {
  readonly primary: string;
  readonly hosts: readonly { readonly host: string; readonly port: number }[];
  readonly username: string | null;
  readonly password: string | null;
}

/**
 * Parses an address. A path, `unix:` and `redis+unix:` mean a unix socket. `?prefix=` takes precedence over `fallback`.
 * @throws {StopError} E_QUEUE_URL
 */
export function parseQueueAddress(address: string, fallback = defaultPrefix): QueueAddress {
  const parts = splitHosts(address.startsWith("/") ? `unix://${address}` : address);
  if (parts === undefined) throw refused("QUEUE_URL is not an address; expected one like redis://host:6379/0");
  const { url, hosts } = parts;
  const prefix = url.searchParams.get("prefix") ?? fallback;
  if (!prefixShape.test(prefix))
    throw refused(`the prefix in QUEUE_URL is ${JSON.stringify(prefix)}; expected letters, digits and underscores`);
  url.searchParams.delete("prefix");
  const label = `${url.protocol}//${hosts.join()}${url.pathname}`;
  if (url.protocol.endsWith("+sentinel:")) return { prefix, label, ...withSentinels(url, hosts) };
  if (hosts.length > 1) throw refused(`QUEUE_URL has ${hosts.length} hosts; only redis+sentinel:// takes several`);
  return { url: url.href, prefix, label, database: databaseOf(url) };
}

function withSentinels(url: URL, hosts: readonly string[]): Pick<QueueAddress, "url" | "database" | "sentinels"> {
  const [, primary, database = ""] = primaryShape.exec(url.pathname) ?? [];
  if (primary === undefined || url.hostname === "") {
    const wanted = "redis+sentinel://host:26379,host:26379/mymaster/0, with the name that Sentinel has for the primary";
    throw refused(`QUEUE_URL names no primary; expected an address like ${wanted}`);
  }
  const sentinels = {
    primary: decodeURIComponent(primary),
    hosts: hosts.map((each) => {
      const { hostname, port } = new URL(`any://${each}`);
      return { host: hostname.replaceAll(/^\[|\]$/g, ""), port: port === "" ? sentinelPort : Number(port) };
    }),
    username: url.searchParams.get("sentinel_username"),
    password: url.searchParams.get("sentinel_password"),
  };
  // What remains is the primary's address, except for its host.
  for (const name of ["sentinel_username", "sentinel_password"]) url.searchParams.delete(name);
  url.pathname = `/${database === "" ? 0 : database}`;
  return { url: url.href.replace("+sentinel:", ":"), database: `${sentinels.primary}${url.pathname}`, sentinels };
}

function databaseOf({ protocol, pathname, searchParams }: URL): string {
  if (protocol.startsWith("postgres")) return pathname;
  // The path of a unix socket identifies the server. Redis uses database 0 if none is given.
  const inPath = /^rediss?:$/.test(protocol) ? pathname.slice(1) : "";
  return inPath || searchParams.get("db") || "0";
}

function refused(message: string): StopError {
  return new StopError("E_QUEUE_URL", message);
}

/** A name that is the same for all addresses that may lead to one queue, because servers have several names. */
export function sharedQueueName(address: string): string {
  const { url, prefix, database } = parseQueueAddress(address);
  return `${url.startsWith("postgres") ? "postgres" : "redis"}/${database}#${prefix}`;
}
