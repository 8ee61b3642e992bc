import type { PostgresPlace } from "./link.ts";
import { fill, type SqlText } from "../sql.ts";

/** First key of the advisory lock ("SYNC"), so that no other program uses the same lock. */
const LOCK_SPACE = 0x5359_4e43;

/** Channel for all stores in the database: a notice carries the name of its schema. */
export const CHANNEL = "svcsync";

/** Begins a message that takes no lock. */
export function unlocked({ schema }: PostgresPlace): SqlText {
  return fill("SELECT set_config('search_path', @schema, true)", { schema: quoted(schema) });
}

/** Begins a message of a reader: the server refuses each statement of it that would write. */
export function reading(place: PostgresPlace): SqlText {
  return `SET TRANSACTION READ ONLY; ${unlocked(place)}`;
}

/**
 * Begins a message that changes records. Such messages run one at a time, and each sees what the one before wrote. The answer waits for the
 * server's disk, whatever the server's own setting, because this process outlives a crash of the server and builds on confirmed steps.
 */
export function locked(place: PostgresPlace): SqlText {
  const lock = fill(`SELECT pg_advisory_xact_lock(${LOCK_SPACE}, hashtext(@schema))`, { schema: place.schema });
  return `SET TRANSACTION ISOLATION LEVEL READ COMMITTED; SET LOCAL synchronous_commit = on; ${lock}; ${unlocked(place)}`;
}

/**
 * Begins a message that takes no lock and listens for notices to daemons. Every message repeats LISTEN, so that a new connection needs no
 * setup. Behind a pooler that gives each message another connection, notices are lost.
 */
export function listening(place: PostgresPlace): SqlText {
  return `${unlocked(place)}; LISTEN ${CHANNEL}`;
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
