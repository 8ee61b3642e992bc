export type { Mapped, MappedField, MappedValue, MatchRule, SourceEntry, Stream, SyncFile } from "./contract.ts";
export { loadMappingCases, type MappingCase, type MappingCases } from "./cases/load.ts";
export { loadSyncFile } from "./sync-file.ts";
export type { AdapterShapes, SyncFileContext } from "./sync-file-context.ts";
export { schemaText, syncFileSchema, writeSchema } from "./sync-file-schema.ts";
