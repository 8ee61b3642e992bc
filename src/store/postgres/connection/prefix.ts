import type { PostgresPlace } from "./link.ts";
import { fill, type SqlText } from "../sql.ts";

/** First key of the advisory lock ("SYNC"), so that no other program uses the same lock. */
const LOCK_SPACE = 0x5359_4e43;

/** Channel for all stores in the database: a notice carries the name of its schema. */
export const CHANNEL = "svcsync";

/** Keeps settings for the transaction of the message. */
const configured = (settings: Readonly<Record<string, string>>) =>
  Object.entries(settings).map(([name, value]) => fill("set_config(@name, @value, true)", { name, value }));

/** Begins a message that takes no lock. */
export function unlocked({ schema }: PostgresPlace): SqlText {
  return `SELECT ${configured({ search_path: quoted(schema) }).join(", ")}`;
}

/** Begins a message of a reader: the server refuses each statement of it that would write. */
export function reading(place: PostgresPlace): SqlText {
  return `SET TRANSACTION READ ONLY; ${unlocked(place)}`;
}

/**
 * Begins a message that changes records. Such messages run one at a time, and each sees what the one before wrote. The answer waits for the
 * server's disk, whatever the server's own setting, because this process outlives a crash of the server and builds on confirmed steps.
 */
export function locked({ schema }: PostgresPlace, settings: Readonly<Record<string, string>> = {}): SqlText {
  const set = configured({ search_path: quoted(schema), synchronous_commit: "on", ...settings });
  const lock = fill(`pg_advisory_xact_lock(${LOCK_SPACE}, hashtext(@schema))`, { schema });
  // One statement for all takes half of the time.
  return `SET TRANSACTION ISOLATION LEVEL READ COMMITTED; SELECT ${[...set, lock].join(", ")}`;
}

/**
 * Begins a message of steps. The server keeps the plans of their functions, because planning each call would take longer than most steps. Plans
 * made for an empty store are kept too, so none may read a whole table: it may soon be large.
 */
export function stepping(place: PostgresPlace): SqlText {
  return locked(place, {
    plan_cache_mode: "force_generic_plan",
    enable_seqscan: "off",
    enable_bitmapscan: "off",
    jit: "off",
  });
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
