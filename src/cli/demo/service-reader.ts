import { z } from "zod";
import { isJsonObject, type Json, type JsonObject } from "#model";
import { DEFAULT_TOKEN } from "#sandbox";

const PAGE = 50;
const json = z.json();

/** Reads the service back with plain HTTP calls written from its reference, independently of svcsync's own client. */
export class ServiceReader {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  async all(resource: string): Promise<JsonObject[]> {
    const records: JsonObject[] = [];
    for (;;) {
      const answer = await this.#get(`${resource}?fields=*&limit=${PAGE}&offset=${records.length}`);
      const page = isJsonObject(answer) ? answer[resource] : undefined;
      if (!Array.isArray(page)) throw new Error(`the service answered no list of ${resource}`);
      records.push(...page.filter(isJsonObject));
      if (page.length < PAGE) return records;
    }
  }

  async #get(path: string): Promise<Json> {
    const response = await fetch(`${this.#url}/restApi/v1/${path}`, {
      headers: { accept: "application/json", authorization: `Bearer ${DEFAULT_TOKEN}` },
    });
    if (!response.ok) throw new Error(`GET ${path} answered ${response.status}`);
    return json.parse(await response.json());
  }
}
