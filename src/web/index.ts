export { startStandbyWeb, startWeb, type Web, type WebAddress, type WebDeps } from "./server.ts";
export { hashPassword } from "./access/password-hash.ts";
export type { PageAccess } from "./access/visitor.ts";
export type { AdoptionState, DatedPlan, Overview, RecordDetail, StatusSource } from "./contract.ts";
export { readinessOf, type Readiness, type ReadinessChecks } from "./readiness.ts";
