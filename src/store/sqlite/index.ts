export { openSqliteStore } from "./open.ts";
