import type { IncomingMessage } from "node:http";

/** A request as the routes see it. */
export interface WebRequest {
  readonly method: string;
  /** The path's parts, decoded one by one: a key may hold a slash. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  /** A browser sent it from one of our own pages. */
  readonly sameOrigin: boolean;
}

/** Undefined where the address is not one. */
export function readRequest({ method = "GET", url = "/", headers }: IncomingMessage): WebRequest | undefined {
  const [path = "", query = ""] = url.split("?", 2);
  if (!path.startsWith("/")) return undefined;
  try {
    return {
      method,
      path: path.slice(1).split("/").map(decodeURIComponent),
      query: new URLSearchParams(query),
      sameOrigin: isSameOrigin(headers),
    };
  } catch {
    return undefined;
  }
}

/** Browsers name the origin of every POST; a page of another site cannot make them say ours. */
function isSameOrigin({ origin, host }: IncomingMessage["headers"]): boolean {
  return origin !== undefined && URL.canParse(origin) && new URL(origin).host === host;
}
