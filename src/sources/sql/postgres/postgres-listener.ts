import { once } from "node:events";
import { Client } from "pg";
import { backoffMs, errorFacts, onAbort, sleep } from "#model";
import type { Logger } from "#telemetry";
import type { Listener } from "../../source.ts";
import { tlsOptions } from "../engines/tls.ts";
import type { SqlSettings } from "../settings.ts";

/** Backoff of reconnects. It also limits how often a wrong password is tried, so that the user is not locked out. */
const AGAIN = { baseMs: 1_000, maxMs: 300_000 };
/** How often the connection is checked. One that died silently is noticed within this and the time-out of its answer. */
const LOOK_MS = 30_000;
const ANSWER_MS = 10_000;
/** How long to wait for the answer to the last statement, when the daemon ends. */
const LAST_ANSWER_MS = 1_000;

/**
 * Listens to a channel of PostgreSQL on a connection of its own. Each new connection begins with a report for all streams, because
 * notifications are lost while there is none.
 */
export function postgresListener(settings: SqlSettings, channel: string, logger: Logger): Listener {
  return async (told, signal) => {
    let failures = 0;
    while (!signal.aborted) {
      try {
        await listen(settings, channel, signal, told, () => {
          if (failures > 0) logger.info({ channel }, "notifications are heard again");
          failures = 0;
        });
      } catch (thrown) {
        if (signal.aborted) return;
        failures += 1;
        if (failures === 1) logger.warn({ channel, err: errorFacts(thrown) }, "notifications could not be heard");
      }
      await sleep(backoffMs(AGAIN, failures), signal);
    }
  };
}

/** Runs one connection until it ends, which is always an error unless the signal is aborted. */
async function listen(
  settings: SqlSettings,
  channel: string,
  signal: AbortSignal,
  told: Parameters<Listener>[0],
  connected: () => void,
): Promise<void> {
  const client = new Client({
    connectionString: settings.url,
    ssl: tlsOptions(settings.tls) ?? false,
    connectionTimeoutMillis: settings.connectTimeout,
    query_timeout: ANSWER_MS,
    keepAlive: true,
    application_name: "svcsync listener",
  });
  const over = new AbortController();
  client.on("error", (error) => over.abort(error));
  client.on("end", () => over.abort(new Error("the database ended the connection")));
  client.on("notification", ({ payload }) => told(payload));
  using _follow = { [Symbol.dispose]: onAbort(signal, () => over.abort(signal.reason)) };
  try {
    await client.connect();
    await client.query(`listen "${channel.replaceAll('"', '""')}"`);
    connected();
    told(undefined);
    const look = setInterval(() => {
      client.query("select 1").catch((error: unknown) => over.abort(error));
    }, LOOK_MS);
    using _look = { [Symbol.dispose]: () => clearInterval(look) };
    if (!over.signal.aborted) await once(over.signal, "abort");
    throw over.signal.reason;
  } finally {
    // A session that still listens is dangerous to the next client of a pooler (see expectOwnAnswer).
    if (signal.aborted) await Promise.race([client.query("unlisten *").catch(() => undefined), sleep(LAST_ANSWER_MS)]);
    await client.end().catch(() => undefined);
  }
}
