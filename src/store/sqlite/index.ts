export { openSqliteStore } from "./open.ts";
export { movedTables, SqliteMoveSide } from "./move-side.ts";
