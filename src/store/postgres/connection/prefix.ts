import type { PostgresPlace } from "./link.ts";
import { fill, type SqlText } from "../sql.ts";

/** One of the two numbers of the lock is svcsync's own: no other program means the same lock. */
const LOCK_SPACE = 0x5359_4e43;

/** Of all stores in the database: a notice names its schema. */
export const CHANNEL = "svcsync";

/** Begins a message that takes no lock. */
export function unlocked({ schema }: PostgresPlace): SqlText {
  return fill("SELECT set_config('search_path', @schema, true)", { schema: quoted(schema) });
}

/**
 * Begins a message that changes records: one at a time, and each sees what the one before has written. The answer waits for the disk
 * of the server, whatever the server's own setting is: the process that builds on what was confirmed outlives a crash of the server.
 */
export function locked(place: PostgresPlace): SqlText {
  const lock = fill(`SELECT pg_advisory_xact_lock(${LOCK_SPACE}, hashtext(@schema))`, { schema: place.schema });
  return `SET TRANSACTION ISOLATION LEVEL READ COMMITTED; SET LOCAL synchronous_commit = on; ${lock}; ${unlocked(place)}`;
}

/**
 * Begins a message that takes no lock and listens to what replicas have to know at once. A connection that listens already stays as it
 * is, so that a new one needs no care; where a pooler gives each message another one, notices are lost.
 */
export function listening(place: PostgresPlace): SqlText {
  return `${unlocked(place)}; LISTEN ${CHANNEL}`;
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
