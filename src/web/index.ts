export { startWeb, type Web, type WebAddress, type WebParts } from "./server.ts";
export type { Overview, RecordDetail, StatusSource } from "./contract.ts";
export type { ReadinessChecks } from "./readiness.ts";
