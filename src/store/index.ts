export * from "./contract/index.ts";
export * from "./claim.ts";
export * from "./facts.ts";
export { addCounts, countNames, noCounts, type Counts } from "./hour-counts.ts";
export type { Note } from "./note.ts";
export { isAnswerable } from "./transitions.ts";
export { verifyBackup, type VerifiedBackup } from "./sqlite/durability/backup.ts";
export { openStore, type StoreLocation } from "./open.ts";
export { move, type MovedStore, type MoveStep, type TableComparison } from "./move/index.ts";
