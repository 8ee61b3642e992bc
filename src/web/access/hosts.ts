import { isIP } from "node:net";
import type { IncomingHttpHeaders } from "node:http";

/** The host names of this page. */
export interface HostNames {
  /** Whether a `Host` header is one of ours. */
  isOurs(host: string | undefined): boolean;
  /** Whether a browser sent the request from one of our own pages. */
  isOwnPage(headers: IncomingHttpHeaders): boolean;
}

/** Addresses that mean "every interface", which are not names. */
const everywhere = new Set(["0.0.0.0", "::"]);

/**
 * The names of this machine, its listening address, and the names of a proxy. A page of another site whose name was
 * pointed to this address (DNS rebinding) keeps its own name in `Host` and is refused. A bare IP address cannot be
 * rebound.
 */
export function hostNames(listening: string, names: readonly string[]): HostNames {
  const known = new Set(["localhost", ...(everywhere.has(listening) ? [] : [listening]), ...names].map(lowered));
  const isKnown = (name: string | undefined) => name !== undefined && (isIP(name) !== 0 || known.has(name));
  const isProxied = (name: string | undefined) => name !== undefined && names.map(lowered).includes(name);
  return {
    isOurs: (host) => isKnown(nameIn(host)),
    isOwnPage({ origin, host, "sec-fetch-site": site }) {
      if (origin === undefined || !URL.canParse(origin) || (site !== undefined && site !== "same-origin")) return false;
      const { host: from, hostname } = new URL(origin);
      if (from === host?.toLowerCase()) return true;
      // A proxy may put its own name into Host; then the browser's header and the proxy's name have to suffice.
      return site === "same-origin" && isProxied(bare(hostname));
    },
  };
}

/** The name in a `Host` header, without port and brackets; undefined if it is invalid. */
function nameIn(host: string | undefined): string | undefined {
  if (host === undefined || !/^[\w.\-:[\]]+$/.test(host) || !URL.canParse(`http://${host}`)) return undefined;
  return bare(new URL(`http://${host}`).hostname);
}

function bare(hostname: string): string {
  return lowered(hostname.replace(/^\[(.*)]$/, "$1"));
}

/** A name may end with the dot of the DNS root. */
function lowered(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}
