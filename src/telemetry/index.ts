export type { LogFields, Logger } from "./logger.ts";
