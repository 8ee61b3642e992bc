import { openPostgresStore } from "../../src/store/postgres/index.ts";
import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { sleep } from "#model";
import type { StorePlace } from "../conformance/store-scene.ts";
import { postgresServer } from "../setup/postgres.ts";

const LOOK_MS = 10;

/** A schema of its own in a database that outlives the place. */
export interface PostgresPlace extends StorePlace {
  readonly schema: string;
  readonly location: { readonly url: string; readonly schema: string };
}

export async function postgresPlace(url: string): Promise<PostgresPlace> {
  const schema = `Store ${randomBytes(6).toString("hex")}`;
  return {
    schema,
    location: { url, schema },
    open: (options) => openPostgresStore({ url, schema }, options),
    [Symbol.asyncDispose]: () => ask(url, `DROP SCHEMA IF EXISTS "${schema}" CASCADE`).then(() => undefined),
  };
}

/** One statement on a connection of its own, past the store. */
export async function ask<Row extends object>(url: string, sql: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  // Where the server ends, the statement fails; without a listener this process would end too.
  client.on("error", () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

/**
 * Changes a setting of the server, also while it only reads. Later statements meet the new value, also on connections that there are:
 * the server tells those before it takes a new one.
 */
export async function configure(url: string, name: string, value: string): Promise<void> {
  const own = new URL(url);
  own.searchParams.set("options", "-c default_transaction_read_only=off");
  const loaded = async () => (await ask<{ at: string }>(own.href, "SELECT pg_conf_load_time()::text AS at"))[0]!.at;
  const before = await loaded();
  await ask(own.href, `ALTER SYSTEM SET ${name} = ${value}`);
  await ask(own.href, "SELECT pg_reload_conf()");
  while ((await loaded()) === before) await sleep(LOOK_MS);
}

/** Places on one server, which starts with the first. */
export function postgresPlaces(): { make: () => Promise<PostgresPlace>; end: () => Promise<void> } {
  const server = postgresServer();
  return { make: async () => postgresPlace(await server.url()), end: server.end };
}
