import type { StoreLocation } from "../open.ts";
import { movedTables, SqliteMoveSide } from "../sqlite/index.ts";
import { moveRefused } from "./mark.ts";
import { moveStore, type MoveOptions, type TableComparison } from "./move.ts";
import type { MoveDeps, MoveSide } from "./side.ts";

export type { MoveStep, TableComparison } from "./move.ts";

/** The result of a move. */
export interface MovedStore {
  /** The two locations, without passwords. */
  readonly from: string;
  readonly to: string;
  /** Empty if the call only finished an interrupted move that had already compared all tables. */
  readonly tables: readonly TableComparison[];
}

/**
 * Moves a store from a folder into a schema of PostgreSQL or back; see {@link moveStore}.
 * @throws {SyncError} E_MOVE_REFUSED, and every error of a daemon that opens either store.
 */
export async function move(
  from: StoreLocation,
  to: StoreLocation,
  { logger, ...options }: Omit<MoveOptions, "tables"> & MoveDeps,
): Promise<MovedStore> {
  if (typeof from === typeof to)
    throw moveRefused(
      typeof from === "string"
        ? "both stores are in SQLite. Copy the store with svcsync backup"
        : "both stores are in PostgreSQL. Copy the schema with PostgreSQL's own tools, such as pg_dump",
    );
  // Loaded only when needed, because of the driver.
  const { PostgresMoveSide } = await import("../postgres/index.ts");
  const deps = { clock: options.clock, logger };
  const open = async (location: StoreLocation): Promise<MoveSide> =>
    typeof location === "string" ? SqliteMoveSide.open(location, deps) : await PostgresMoveSide.open(location, deps);
  await using source = await open(from);
  await using target = await open(to);
  const tables = await moveStore(source, target, { ...options, tables: movedTables() });
  return { from: source.place, to: target.place, tables };
}
