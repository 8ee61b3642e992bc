import type { HttpAnswer } from "#http";
import type { Json } from "#model";
import type { WebClient } from "../wire/client/web-client.ts";
import { answerOf, type ODataAnswer } from "./answer.ts";
import { entityShape, type EntityShape } from "./metadata.ts";
import type { Manners } from "./presets.ts";

/** SAP Business One's words for "try again": a company database that was just being switched. */
const TRANSIENT = /Switch company error|-1102|"code"\s*:\s*"?305"?\b/;

/** The only place that knows an OData service's addresses and headers. */
export class ODataClient {
  readonly #web: WebClient;
  readonly #manners: Manners;
  #metadata: Promise<string> | undefined;

  constructor(web: WebClient, manners: Manners) {
    this.#web = web;
    this.#manners = manners;
  }

  /** What `$metadata` says of an entity set; the document is read once. */
  async shape(entity: string, signal: AbortSignal): Promise<EntityShape> {
    this.#metadata ??= this.#web
      .text({ url: "$metadata", headers: { accept: "application/xml" } }, signal)
      .then((text) => text ?? "");
    try {
      return entityShape(await this.#metadata, entity);
    } catch (thrown) {
      this.#metadata = undefined;
      throw thrown;
    }
  }

  /** One page: by its options, or by a next link. `size` is how many entities are wanted. */
  async page(url: string, size: number, signal: AbortSignal): Promise<ODataAnswer> {
    const { version, ieee754 } = this.#manners;
    const accept = ieee754 ? "application/json;odata.metadata=minimal;IEEE754Compatible=true" : "application/json";
    const headers = version === "v4" ? { accept, prefer: `odata.maxpagesize=${size}` } : { accept };
    const json: Json = (await this.#web.json({ url, headers, transient: isTransient }, signal)) ?? null;
    return answerOf(json, this.#web.address(""));
  }

  /** The address of a list with its options, encoded. */
  address(entity: string, options: Readonly<Record<string, string | undefined>>): string {
    const query = Object.entries(options)
      .filter((option): option is [string, string] => option[1] !== undefined && option[1] !== "")
      .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
      .join("&");
    return query === "" ? entity : `${entity}?${query}`;
  }
}

function isTransient(answer: HttpAnswer): boolean {
  return answer.status >= 400 && TRANSIENT.test(answer.excerpt);
}
