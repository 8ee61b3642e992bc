export * from "./contract.ts";
export { ReturnLane, type ReturnLaneDeps } from "./lane/lane.ts";
export type { LaneStream } from "./lane/lane-stream.ts";
export { planReturns, type PlannedReturn } from "./lane/plan.ts";
export { openReader, type ReaderDeps } from "./read/open-reader.ts";
export { DocumentNumber, type DocumentNumberDeps } from "./follow/document-number.ts";
export { openDestination, type DestinationDeps } from "./destinations/destination.ts";
export { inboxDdl } from "./destinations/sql/ddl.ts";
