import { z } from "zod";
import type { Json } from "#model";

const answerSchema = z.object({ result: z.json().optional(), error: z.json().optional() });
const sessionSchema = z.tuple([z.int(), z.string()]);

/** Tryton's JSON-RPC as its own client speaks it. */
export class TrytonRpc {
  /** The key of its session. */
  readonly session: string;
  readonly #url: string;
  readonly #authorization: string;

  private constructor(url: string, user: string, id: number, session: string) {
    this.session = session;
    this.#url = url;
    this.#authorization = `Session ${Buffer.from(`${user}:${id}:${session}`).toString("base64")}`;
  }

  /** @throws {Error} when the server refuses the login. */
  static async logIn(url: string, user: string, password: string): Promise<TrytonRpc> {
    const session = await post(url, {}, "common.db.login", [user, { password }]);
    const [id, key] = sessionSchema.parse(session);
    return new TrytonRpc(url, user, id, key);
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

  /** The id of the first record that fits. @throws {Error} where there is none. */
  async one(model: string, condition: Json): Promise<number> {
    const found = z.array(z.int()).parse(await this.call(model, "search", [condition], 0, 1, null));
    if (found[0] === undefined) throw new Error(`Tryton has no ${model} with ${JSON.stringify(condition)}`);
    return found[0];
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
