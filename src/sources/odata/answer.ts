import { isJsonObject, type Json, type JsonObject } from "#model";
import { rowsAt } from "../wire/stamps/values.ts";

export interface ODataAnswer {
  readonly rows: readonly JsonObject[];
  /** The next page's address below our own origin; undefined on the last page. */
  readonly next: string | undefined;
}

/** The rows and the next link of an answer of v2 (`d.results`, `d`) or v4 (`value`). */
export function answerOf(json: Json, serviceUrl: string): ODataAnswer {
  const d = isJsonObject(json) ? json["d"] : undefined;
  const path = d === undefined ? "value" : Array.isArray(d) ? "d" : "d.results";
  return { rows: rowsAt(json, path), next: nextLink(json, d, serviceUrl) };
}

/**
 * Next links may be relative to the service's root, and behind a proxy they may name a host that only the server knows:
 * path and query count, the origin stays ours, so that credentials go nowhere else.
 */
function nextLink(json: Json, d: Json | undefined, serviceUrl: string): string | undefined {
  const answer = isJsonObject(json) ? json : {};
  const link = answer["@odata.nextLink"] ?? answer["odata.nextLink"] ?? (isJsonObject(d) ? d["__next"] : undefined);
  if (typeof link !== "string" || link === "") return undefined;
  const context = answer["@odata.context"] ?? answer["odata.metadata"];
  const root = typeof context === "string" ? context.split("$metadata", 1)[0]! : "";
  const { pathname, search } = new URL(link, new URL(root, serviceUrl));
  const own = new URL(serviceUrl);
  // Set member by member: a path that begins with `//` would name a host.
  own.pathname = pathname;
  own.search = search;
  return own.href;
}
