export type { Dialect } from "./dialect.ts";
export type { Secrets, Settings } from "./settings.ts";
