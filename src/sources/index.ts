export { adapters } from "./register.ts";
export type { Capabilities, Catalog, KeylessRows, Listener, Source, SourceStream, TableOutline } from "./source.ts";
export { isSameSource, type SourceIdentity } from "./identity.ts";
export type { Adapter, OpenContext, OpenedSource } from "./adapter.ts";
export type { FolderInbox, InboxColumn, InboxTable, InboxTables, InboxRows, TableInbox } from "./inbox.ts";
export { quotedName, type SqlDialect } from "./sql/sql-text.ts";
