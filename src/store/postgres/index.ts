export { openPostgresStore } from "./open.ts";
export type { PostgresPlace } from "./connection/link.ts";
