import type { HttpAnswer } from "#http";
import { isJsonObject, type Json, type JsonObject } from "#model";
import type { WebClient } from "../wire/client/web-client.ts";
import { rowsAt } from "../wire/stamps/values.ts";
import { entityShape, typeOf, type EntityShape } from "./metadata.ts";
import type { Manners } from "./presets.ts";

/** How SAP Business One says "try again", for example while a company database is switched. */
const TRANSIENT = /Switch company error|-1102|"code"\s*:\s*"?305"?\b/;

/** The only class that knows an OData service's addresses and headers. */
export class ODataClient {
  readonly #web: WebClient;
  readonly #manners: Manners;
  #metadata: Promise<string> | undefined;
  readonly #shapes = new Map<string, EntityShape>();

  constructor(web: WebClient, manners: Manners) {
    this.#web = web;
    this.#manners = manners;
  }

  /**
   * What `$metadata` says about an entity set; the document is read once, and parsed once per entity set: it may have megabytes. Read again
   * after one of `names` was missing in it.
   * @throws {ParkError} E_SOURCE_METADATA when the entity set or one of its properties is not there.
   */
  async shape(entity: string, names: readonly string[], signal: AbortSignal): Promise<EntityShape> {
    try {
      const shape = this.#shapes.get(entity) ?? entityShape(await this.#document(signal), entity);
      for (const name of names) typeOf(shape, entity, name);
      this.#shapes.set(entity, shape);
      return shape;
    } catch (thrown) {
      this.#metadata = undefined;
      this.#shapes.delete(entity);
      throw thrown;
    }
  }

  #document(signal: AbortSignal): Promise<string> {
    this.#metadata ??= this.#web
      .text({ url: "$metadata", headers: { accept: "application/xml" } }, signal)
      .then((text) => text ?? "");
    return this.#metadata;
  }

  /** One page: by its options, or by a next link. `size` is how many entities are wanted. */
  async page(url: string, size: number, signal: AbortSignal): Promise<ODataAnswer> {
    const { version, ieee754 } = this.#manners;
    const accept = ieee754 ? "application/json;odata.metadata=minimal;IEEE754Compatible=true" : "application/json";
    const headers = version === "v4" ? { accept, prefer: `odata.maxpagesize=${size}` } : { accept };
    const json: Json = (await this.#web.json({ url, headers, transient: isTransient }, signal)) ?? null;
    return answerOf(json, this.#web.address(""));
  }

  /** Returns the encoded address of a list with its options. */
  address(entity: string, options: Readonly<Record<string, string | undefined>>): string {
    const query = Object.entries(options)
      .filter((option): option is [string, string] => option[1] !== undefined && option[1] !== "")
      .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
      .join("&");
    return query === "" ? entity : `${entity}?${query}`;
  }
}

export function isTransient(answer: HttpAnswer): boolean {
  return answer.status >= 400 && TRANSIENT.test(answer.excerpt);
}

interface ODataAnswer {
  readonly rows: readonly JsonObject[];
  /** The next page's address on our own origin; undefined on the last page. */
  readonly next: string | undefined;
}

/** Returns the rows and the next link of an answer in v2 (`d.results`, `d`) or v4 (`value`). */
function answerOf(json: Json, serviceUrl: string): ODataAnswer {
  const d = isJsonObject(json) ? json["d"] : undefined;
  const path = d === undefined ? "value" : Array.isArray(d) ? "d" : "d.results";
  return { rows: rowsAt(json, path), next: nextLink(json, d, serviceUrl) };
}

/**
 * Returns the address of the next page. Next links may be relative to the service's root, and behind a proxy they may name a host
 * that only the server knows. So only path and query count, and the origin stays ours: credentials go nowhere else.
 */
function nextLink(json: Json, d: Json | undefined, serviceUrl: string): string | undefined {
  const answer = isJsonObject(json) ? json : {};
  // In 4.01 the prefix may be left out.
  const link =
    answer["@odata.nextLink"] ??
    answer["@nextLink"] ??
    answer["odata.nextLink"] ??
    (isJsonObject(d) ? d["__next"] : undefined);
  if (typeof link !== "string" || link === "") return undefined;
  const context = answer["@odata.context"] ?? answer["@context"] ?? answer["odata.metadata"];
  const [root = ""] = typeof context === "string" ? context.split("$metadata", 1) : [];
  const { pathname, search } = new URL(link, new URL(root, serviceUrl));
  const own = new URL(serviceUrl);
  // Set one by one, because a path that begins with `//` would name a host.
  own.pathname = pathname;
  own.search = search;
  return own.href;
}
