export { startWeb, type Web, type WebAddress, type WebDeps as WebParts } from "./server.ts";
export type { Overview, RecordDetail, StatusSource } from "./contract.ts";
export type { ReadinessChecks } from "./readiness.ts";
