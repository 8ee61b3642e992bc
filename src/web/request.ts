import type { IncomingMessage } from "node:http";
import type { HostNames } from "./hosts.ts";

/** A request as the routes see it. */
export interface WebRequest {
  readonly method: string;
  /** The path's parts, decoded one by one: a key may hold a slash. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  /** It was sent to one of our names. */
  readonly isForUs: boolean;
  /** A browser sent it from one of our own pages. */
  readonly isOwnPage: boolean;
}

/** Undefined where the address is not one. */
export function readRequest(
  { method = "GET", url = "/", headers }: IncomingMessage,
  names: HostNames,
): WebRequest | undefined {
  const [path = "", query = ""] = url.split("?", 2);
  if (!path.startsWith("/")) return undefined;
  try {
    return {
      method,
      path: path.slice(1).split("/").map(decodeURIComponent),
      query: new URLSearchParams(query),
      isForUs: names.isOurs(headers.host),
      isOwnPage: names.isOwnPage(headers),
    };
  } catch {
    return undefined;
  }
}
