import type { HttpAnswer } from "#http";
import { isJsonObject, ParkError, RetryError, type Json, type JsonObject } from "#model";
import type { WebClient } from "../wire/client/web-client.ts";
import { jsonText } from "../wire/stamps/values.ts";
import type { OdooSettings } from "./schema.ts";

/** Calls methods of Odoo's models. Only this file knows how. */
export interface OdooClient {
  /** Calls a method that belongs to the model, with named parameters. */
  call(model: string, method: string, parameters: JsonObject, signal: AbortSignal): Promise<Json>;
}

export function openOdooClient(web: WebClient, settings: OdooSettings): OdooClient {
  return settings.protocol === "json2" ? new Json2Client(web, settings.database) : new RpcClient(web, settings);
}

/** Odoo 19 and later: one address per method, errors by status. */
class Json2Client implements OdooClient {
  readonly #web: WebClient;
  readonly #database: string;

  constructor(web: WebClient, database: string) {
    this.#web = web;
    this.#database = database;
  }

  async call(model: string, method: string, parameters: JsonObject, signal: AbortSignal): Promise<Json> {
    const headers = { "x-odoo-database": this.#database };
    const url = `json/2/${model}/${method}`;
    const request = { method: "POST", url, headers, json: parameters, absent: hasNoJson2 } as const;
    const answer = await this.#web.json(request, signal);
    if (answer !== undefined) return answer;
    throw new ParkError(
      "E_SOURCE_NOT_FOUND",
      "this Odoo has no JSON-2 API (404), which begins with version 19: for 16 to 18 set `protocol: jsonrpc` and `username` " +
        '("svcsync init --erp odoo18" writes such a sync file)',
    );
  }
}

/** Whether this Odoo has no JSON-2 API: Odoo 19 would answer 404 with JSON. */
function hasNoJson2(answer: HttpAnswer): boolean {
  return answer.status === 404 && answer.excerpt.startsWith("<");
}

/** Odoo 18 and earlier: everything is a POST to one address and answered with 200. */
class RpcClient implements OdooClient {
  readonly #web: WebClient;
  readonly #settings: OdooSettings;
  #user: Promise<number> | undefined;

  constructor(web: WebClient, settings: OdooSettings) {
    this.#web = web;
    this.#settings = settings;
  }

  async call(model: string, method: string, parameters: JsonObject, signal: AbortSignal): Promise<Json> {
    const { database, key } = this.#settings;
    try {
      const user = await (this.#user ??= this.#logIn(signal));
      return await this.#rpc("object", "execute_kw", [database, user, key, model, method, [], parameters], signal);
    } catch (thrown) {
      // The user may have another id by now, as after a restore.
      this.#user = undefined;
      throw thrown;
    }
  }

  /** Logs in. Odoo answers a wrong password with `false`, not with an error. */
  async #logIn(signal: AbortSignal): Promise<number> {
    const { database, username = "", key } = this.#settings;
    const user = await this.#rpc("common", "login", [database, username, key], signal);
    if (typeof user === "number") return user;
    throw new ParkError("E_SOURCE_LOGIN", `Odoo refused the login of ${username} at the database ${database}`);
  }

  async #rpc(service: string, method: string, args: Json[], signal: AbortSignal): Promise<Json> {
    const json = { jsonrpc: "2.0", method: "call", id: 1, params: { service, method, args } };
    const answer = await this.#web.json({ method: "POST", url: "jsonrpc", json, judge: refuseRpcErrors }, signal);
    return resultOf(answer ?? null);
  }
}

const MESSAGE_LENGTH = 300;
/** Database errors that are gone by the next try. */
const PASSING =
  /SerializationFailure|OperationalError|InterfaceError|AdminShutdown|CannotConnectNow|QueryCanceled|LockNotAvailable|DeadlockDetected|PoolError/;

/** Returns the result of a JSON-RPC answer; null if the method has none. */
function resultOf(answer: Json): Json {
  return isJsonObject(answer) ? (answer["result"] ?? null) : null;
}

/**
 * Throws if the answer is an error, which JSON-RPC reports in a 200.
 * @throws what the class of Odoo's exception means for the stream.
 */
function refuseRpcErrors(answer: Json): void {
  const error = isJsonObject(answer) ? answer["error"] : undefined;
  if (!isJsonObject(error)) return;
  const data = isJsonObject(error["data"]) ? error["data"] : {};
  const kind = jsonText(data["name"]);
  const said = `${kind}: ${jsonText(data["message"] ?? error["message"])}`.slice(0, MESSAGE_LENGTH);
  if (PASSING.test(kind)) throw new RetryError("E_SOURCE_FAILED", `Odoo failed: ${said}`);
  if (kind.endsWith("AccessDenied")) throw new ParkError("E_SOURCE_LOGIN", `Odoo refused the credentials: ${said}`);
  if (kind.endsWith("AccessError"))
    throw new ParkError("E_SOURCE_FORBIDDEN", `Odoo: the user may not read this: ${said}`);
  throw new ParkError("E_SOURCE_REQUEST", `Odoo refused the call: ${said}`);
}
