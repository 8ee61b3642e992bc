export { openPostgresStore } from "./open.ts";
export type { PostgresPlace } from "./connection/link.ts";
export { PostgresMoveSide } from "./move-side.ts";
