import { StopError } from "#model";

/** The prefix when neither the address nor the caller gives one. */
const defaultPrefix = "svcsync";
const prefixShape = /^[a-z_][a-z0-9_]{0,40}$/i;

export interface QueueAddress {
  /** The address without our own parameter. */
  readonly url: string;
  /** Redis keys begin with it, and PostgreSQL tables live in a schema of this name. */
  readonly prefix: string;
  /** The address as people may see it: no user, no password, no parameters. */
  readonly label: string;
}

/**
 * Takes an address apart. A path, `unix:` and `redis+unix:` mean a unix socket. `?prefix=` goes before `prefix`.
 * @throws {StopError} E_QUEUE_URL
 */
export function parseQueueAddress(address: string, fallback = defaultPrefix): QueueAddress {
  let url: URL;
  try {
    url = new URL(address.startsWith("/") ? `unix://${address}` : address);
  } catch {
    throw new StopError("E_QUEUE_URL", "QUEUE_URL is not an address; expected one like redis://host:6379/0");
  }
  const prefix = url.searchParams.get("prefix") ?? fallback;
  if (!prefixShape.test(prefix)) {
    const message = `the prefix in QUEUE_URL is ${JSON.stringify(prefix)}; expected letters, digits and underscores`;
    throw new StopError("E_QUEUE_URL", message);
  }
  url.searchParams.delete("prefix");
  return { url: url.href, prefix, label: `${url.protocol}//${url.host}${url.pathname}` };
}

/** The same for all addresses that may lead to one queue: servers have several names. */
export function sharedQueueName(address: string): string {
  const { url, prefix } = parseQueueAddress(address);
  const { protocol, pathname, searchParams } = new URL(url);
  if (protocol.startsWith("postgres")) return `postgres${pathname}#${prefix}`;
  // The path of a unix socket is a name of the server. Redis takes database 0 where none is named.
  const inPath = /^rediss?:$/.test(protocol) ? pathname.slice(1) : "";
  return `redis/${inPath || searchParams.get("db") || "0"}#${prefix}`;
}
