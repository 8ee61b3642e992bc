import { z } from "zod";
import type { Json, JsonObject } from "#model";

const answerSchema = z.object({
  result: z.json().optional(),
  error: z.object({ data: z.object({ name: z.string(), message: z.string() }) }).optional(),
});
const ids = z.array(z.int());

/** What every write says: no mail and no message goes to anybody. */
const QUIET = {
  tracking_disable: true,
  mail_create_nosubscribe: true,
  mail_notrack: true,
  disable_cancel_warning: true,
};

/** Odoo's JSON-RPC, which every version up to 21 speaks. */
export class OdooRpc {
  readonly user: number;
  readonly #url: string;
  readonly #database: string;
  readonly #key: string;

  private constructor(url: string, database: string, user: number, key: string) {
    this.#url = url;
    this.#database = database;
    this.user = user;
    this.#key = key;
  }

  /** @throws {Error} when Odoo refuses the login. */
  static async logIn(url: string, database: string, login: string, key: string): Promise<OdooRpc> {
    const user = await post(url, "common", "login", [database, login, key]);
    if (typeof user !== "number") throw new Error(`Odoo refused the login of ${login} at the database ${database}`);
    return new OdooRpc(url, database, user, key);
  }

  static version(url: string): Promise<Json> {
    return post(url, "common", "version", []);
  }

  call(model: string, method: string, positional: Json[], named: JsonObject = {}): Promise<Json> {
    const args = [this.#database, this.user, this.#key, model, method, positional, named];
    return post(this.#url, "object", "execute_kw", args);
  }

  async create(model: string, values: JsonObject[]): Promise<number[]> {
    if (values.length === 0) return [];
    return ids.parse(await this.call(model, "create", [values], { context: QUIET }));
  }

  async write(model: string, records: readonly number[], values: JsonObject): Promise<void> {
    await this.call(model, "write", [[...records], values], { context: QUIET });
  }

  async act(model: string, method: string, records: readonly number[]): Promise<void> {
    if (records.length > 0) await this.call(model, method, [[...records]], { context: QUIET });
  }

  /** Archived records too. */
  async search(model: string, domain: Json[]): Promise<number[]> {
    return ids.parse(await this.call(model, "search", [domain], { context: { active_test: false } }));
  }

  /** Archived records too. */
  read(model: string, domain: Json[], fields: string[]): Promise<Json> {
    return this.call(model, "search_read", [domain], { fields, context: { active_test: false } });
  }

  async count(model: string, domain: Json[]): Promise<number> {
    return z.int().parse(await this.call(model, "search_count", [domain]));
  }
}

async function post(url: string, service: string, method: string, args: Json[]): Promise<Json> {
  const response = await fetch(`${url.replace(/\/$/, "")}/jsonrpc`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", method: "call", id: 1, params: { service, method, args } }),
  });
  if (!response.ok) throw new Error(`Odoo answered ${response.status}`);
  const { result, error } = answerSchema.parse(await response.json());
  if (error !== undefined) throw new Error(`Odoo: ${error.data.name}: ${error.data.message.slice(0, 500)}`);
  return result ?? null;
}
