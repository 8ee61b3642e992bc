export type { Mapped, MappedField, MappedValue, MatchRule, SourceEntry, Stream, SyncFile } from "./contract.ts";
