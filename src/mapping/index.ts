export type {
  ColumnUse,
  Deletion,
  Mapped,
  MappedField,
  MappedValue,
  MatchRule,
  SourceEntry,
  Stream,
  SyncFile,
} from "./contract.ts";
export { appendCases, type CaseAdditions } from "./cases/append.ts";
export { Mask, maskedColumns, type MaskedColumns } from "./cases/mask.ts";
export { loadMappingCases, type MappingCase, type MappingCases, type ReturnCase } from "./cases/load.ts";
export { loadSyncFile } from "./sync-file.ts";
export type { AdapterShapes, SyncFileContext } from "./sync-file-context.ts";
export { schemaText, syncFileSchema } from "./sync-file-schema.ts";
export type {
  MappedReturnField,
  MappedReturnLine,
  MappedReturnValue,
  ReturnLines,
  ReturnStream,
  Rounding,
} from "./returns-contract.ts";
