import { z } from "zod";
import type { Json, JsonObject } from "#model";

const rows = z.array(z.record(z.string(), z.json()));
const id = z.coerce.number().int();
const PAGE = 100;

/** Dolibarr's REST API as one of its users. */
export class DolibarrApi {
  readonly #url: string;
  readonly #key: string;

  constructor(url: string, key: string) {
    this.#url = `${url.replace(/\/$/, "")}/api/index.php/`;
    this.#key = key;
  }

  async status(path: string): Promise<number> {
    return (await this.#ask("GET", path)).status;
  }

  async get(path: string): Promise<Json> {
    return this.#say("GET", path);
  }

  async create(path: string, values: JsonObject): Promise<number> {
    return id.parse(await this.#say("POST", path, values));
  }

  async write(path: string, values: JsonObject): Promise<void> {
    await this.#say("PUT", path, values);
  }

  async act(path: string): Promise<void> {
    await this.#say("POST", path, { notrigger: 0 });
  }

  /** It may be gone already. @throws {Error} when Dolibarr keeps it. */
  async remove(path: string): Promise<void> {
    const answer = await this.#ask("DELETE", path);
    if (!answer.ok && answer.status !== 404) throw new Error(`Dolibarr answered ${answer.status} to DELETE ${path}`);
  }

  /** All rows of a list, at most `limit`; 404 is none. */
  async list(path: string, limit = Number.POSITIVE_INFINITY): Promise<JsonObject[]> {
    const found: JsonObject[] = [];
    for (let page = 0; found.length < limit; page++) {
      const answer = await this.#ask(
        "GET",
        `${path}${path.includes("?") ? "&" : "?"}sortfield=t.rowid&limit=${PAGE}&page=${page}`,
      );
      if (answer.status === 404) break;
      if (!answer.ok) throw new Error(`Dolibarr answered ${answer.status} to GET ${path}`);
      const some = rows.parse(await answer.json());
      found.push(...some);
      if (some.length === 0) break;
    }
    return found.slice(0, limit);
  }

  async #say(method: string, path: string, values?: JsonObject): Promise<Json> {
    const answer = await this.#ask(method, path, values);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`Dolibarr answered ${answer.status} to ${method} ${path}: ${text.slice(0, 300)}`);
    return z.json().parse(JSON.parse(text));
  }

  #ask(method: string, path: string, values?: JsonObject): Promise<Response> {
    return fetch(this.#url + path, {
      method,
      headers: { DOLAPIKEY: this.#key, "content-type": "application/json" },
      ...(values && { body: JSON.stringify(values) }),
    });
  }
}
