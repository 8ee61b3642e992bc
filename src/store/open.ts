import type { Clock } from "#model";
import type { Logger } from "#telemetry";
import type { OpenStoreOptions, Store } from "./contract/index.ts";
import type { PostgresPlace } from "./postgres/index.ts";
import { openSqliteStore } from "./sqlite/index.ts";

/** The folder of a store in SQLite, or the database and schema of one in PostgreSQL. */
export type StoreLocation = string | PostgresPlace;

/**
 * Opens the store, creates it if there is none, and migrates it to this program's version. An operator's command never changes the tables
 * of a running daemon, and a reader changes nothing.
 * @throws {StopError} E_STORE_BUSY when another live daemon holds it (for an operator: and its version is older), E_STORE_NEWER when a
 * newer program wrote it, E_STORE_UNPREPARED when a reader finds no store of this version, and others when the disk or the server refuses.
 * @throws {RetryError} E_STORE_UNREACHABLE when the server does not answer.
 */
export async function openStore(
  location: StoreLocation,
  options: OpenStoreOptions & { readonly clock: Clock; readonly logger: Logger },
): Promise<Store> {
  if (typeof location === "string") return openSqliteStore(location, options);
  // Loaded only when needed, because of the driver.
  const { openPostgresStore } = await import("./postgres/index.ts");
  return openPostgresStore(location, options);
}
