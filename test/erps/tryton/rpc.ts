import { z } from "zod";
import type { Json } from "#model";

const answerSchema = z.object({ result: z.json().optional(), error: z.json().optional() });
const sessionSchema = z.tuple([z.int(), z.string()]);

/** Tryton's JSON-RPC as its own client speaks it. */
export class TrytonRpc {
  readonly #url: string;
  readonly #authorization: string;

  private constructor(url: string, authorization: string) {
    this.#url = url;
    this.#authorization = authorization;
  }

  /** @throws {Error} when the server refuses the login. */
  static async logIn(url: string, user: string, password: string): Promise<TrytonRpc> {
    const session = await post(url, {}, "common.db.login", [user, { password }]);
    const [id, key] = sessionSchema.parse(session);
    return new TrytonRpc(url, `Session ${Buffer.from(`${user}:${id}:${key}`).toString("base64")}`);
  }

  /** Calls a method of a model; the context comes last. */
  call(model: string, method: string, ...parameters: Json[]): Promise<Json> {
    const headers = { authorization: this.#authorization };
    return post(this.#url, headers, `model.${model}.${method}`, [...parameters, { active_test: false }]);
  }

  /** Makes one record and returns its id. */
  async create(model: string, values: Json): Promise<number> {
    return z.tuple([z.int()]).parse(await this.call(model, "create", [values]))[0];
  }

  async write(model: string, ids: readonly number[], values: Json): Promise<void> {
    await this.call(model, "write", [...ids], values);
  }
}

async function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  method: string,
  params: readonly Json[],
): Promise<Json> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ id: 0, method, params }),
  });
  if (!response.ok) throw new Error(`Tryton answered ${response.status} to ${method}`);
  const { result, error } = answerSchema.parse(await response.json());
  if (error !== undefined && error !== null)
    throw new Error(`Tryton refused ${method}: ${JSON.stringify(error).slice(0, 500)}`);
  return result ?? null;
}
