import { isIPv6 } from "node:net";
import { isLoopback } from "#model";

/**
 * Whether an address bypasses the proxy, in the notation of NO_PROXY: `*`, a host name (its subdomains too, with or without a
 * leading dot or `*.`), or an address, each with an optional port. Loopback addresses always go direct.
 */
export function bypassesProxy(url: URL, except: readonly string[]): boolean {
  const host = url.hostname.toLowerCase().replace(/^\[|\]$/g, "");
  if (isLoopback(host)) return true;
  const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
  return except.some((entry) => covers(entry.trim().toLowerCase(), host, port));
}

function covers(entry: string, host: string, port: string): boolean {
  if (entry === "") return false;
  if (entry === "*") return true;
  // The end of an IPv6 address without brackets is not a port.
  const [, name = "", wantedPort] = isIPv6(entry) ? [entry, entry] : (/^\[?(.+?)\]?(?::(\d+))?$/.exec(entry) ?? []);
  if (wantedPort !== undefined && wantedPort !== port) return false;
  const bare = name.replace(/^\*?\./, "");
  return host === bare || host.endsWith(`.${bare}`);
}
