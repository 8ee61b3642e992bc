import { isJsonObject, type Json, type JsonObject } from "#model";
import { DEFAULT_TOKEN, startSandbox, type Sandbox, type SandboxOptions } from "#sandbox";

/** An answer as plain HTTP gave it. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; undefined where it is none. */
  readonly json: Json | undefined;
  /** The body's `id`, or NaN. */
  readonly id: number;
}

export interface AskOptions {
  readonly token?: string | null;
  readonly body?: Json;
  readonly raw?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A sandbox and the shortest way to ask it with `fetch`. */
export interface Tenant extends AsyncDisposable {
  readonly sandbox: Sandbox;
  /** Asks below `/restApi/`, with the default token unless told otherwise. */
  read(path: string, options?: AskOptions): Promise<Reply>;
  write(method: string, path: string, body?: Json, options?: AskOptions): Promise<Reply>;
  /** The id of the reference record with this name. */
  named(resource: string, name: string): number;
  /** A customer that is not like others, and its id. */
  customer(fields?: JsonObject): Promise<number>;
  ticket(fields?: JsonObject): Promise<number>;
}

export async function openTenant(options: SandboxOptions = {}): Promise<Tenant> {
  const sandbox = await startSandbox(options);
  let last = 0;
  const ask = async (method: string, path: string, body: Json | undefined, asked: AskOptions): Promise<Reply> => {
    const token = asked.token === undefined ? DEFAULT_TOKEN : asked.token;
    const text = asked.raw ?? (body === undefined ? null : JSON.stringify(body));
    const response = await fetch(`${sandbox.url}/restApi/${path}`, {
      method,
      body: text,
      redirect: "manual",
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(text === null ? {} : { "content-type": "application/json" }),
        accept: "application/json",
        ...asked.headers,
      },
    });
    return replyOf(response.status, response.headers, await response.text());
  };
  const named = (resource: string, name: string): number => {
    const record = sandbox.records(resource).find((record) => record["name"] === name);
    if (record === undefined) throw new Error(`no ${resource} ${name}`);
    return record.id;
  };
  const write: Tenant["write"] = (method, path, body, options = {}) => ask(method, path, body, options);
  return {
    sandbox,
    named,
    write,
    read: (path, options = {}) => ask("GET", path, undefined, options),
    async customer(fields = {}) {
      last += 1;
      const plain = {
        name: `Kunde ${last}`,
        customerId: `K${last}`,
        customerStatus: named("customerStatus", "Active"),
      };
      return (await write("POST", "v1/customer", { ...plain, ...fields })).id;
    },
    async ticket(fields = {}) {
      const plain = { description: "Heizung fällt aus", priority: named("priority", "Normal") };
      const status = { ticketStatus: named("ticketStatus", "Open") };
      return (await write("POST", "v1/ticket", { ...plain, ...status, ...fields })).id;
    },
    [Symbol.asyncDispose]: () => sandbox[Symbol.asyncDispose](),
  };
}

export function replyOf(status: number, headers: Headers, text: string): Reply {
  let json: Json | undefined;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  const id = isJsonObject(json) && typeof json["id"] === "number" ? json["id"] : Number.NaN;
  return { status, headers, text, json, id };
}

/** The rows of a list below its wrapper key. */
export function rowsOf(reply: Reply, key: string): JsonObject[] {
  const rows = isJsonObject(reply.json) ? reply.json[key] : undefined;
  if (!Array.isArray(rows)) throw new Error(`no list under ${key} in ${reply.status} ${reply.text}`);
  return rows.filter(isJsonObject);
}

export function idsOf(reply: Reply, key: string): (number | undefined)[] {
  return rowsOf(reply, key).map((row) => (typeof row["id"] === "number" ? row["id"] : undefined));
}

/** Member of an object answer. */
export function member(reply: Reply, name: string): Json | undefined {
  return isJsonObject(reply.json) ? reply.json[name] : undefined;
}

/** A value that must be text. */
export function textOf(value: Json | undefined): string {
  if (typeof value !== "string") throw new Error(`${JSON.stringify(value)} is not a text`);
  return value;
}
