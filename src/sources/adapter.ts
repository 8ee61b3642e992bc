import type { z } from "zod";
import type { Clock } from "#model";
import type { Logger } from "#telemetry";
import type { SourceIdentity } from "./identity.ts";
import type { FolderInbox, InboxTables, TableInbox } from "./inbox.ts";
import type { Source, SourceStream } from "./source.ts";

export interface OpenContext {
  /** The source's name in the sync file. */
  readonly name: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Registers secrets that a login returns, so that they are removed from everything that is logged, shown and stored. */
  readonly hide?: (...secrets: string[]) => void;
}

export interface OpenedSource<Read> extends Source {
  /** Returns the stream that `read` describes. Opens nothing: the first read does. */
  stream(name: string, read: Read): SourceStream;

  /** Returns which data the stream that `read` describes is read from. May ask the ERP, with one small query. */
  identity(read: Read, signal: AbortSignal): Promise<SourceIdentity>;

  /**
   * Opens the tables that the lane back to the ERP writes to, with the settings of the source and connections of its own. Connects at the first
   * use. Present if the adapter's `inbox` is `tables`.
   */
  tableInbox?(tables: InboxTables): TableInbox;

  /** Opens the folder below that of the source that the lane back writes to. Present if the adapter's `inbox` is `folder`. */
  folderInbox?(folder: string): FolderInbox;
}

/** A kind of ERP connection: one folder, one line in the register. */
export interface Adapter<Settings = unknown, Read = unknown> {
  /** The word after `adapter:` in the sync file. */
  readonly name: string;
  /** The source's settings beside `adapter`; unknown members are refused. Every member has a `.describe()`. */
  readonly settings: z.ZodType<Settings>;
  /** A stream's `read`; unknown members are refused. Every member has a `.describe()`. */
  readonly read: z.ZodType<Read>;
  /** What `returns` in the sync file can hand over to; absent if svcsync only reads from such an ERP. */
  readonly inbox?: "tables" | "folder";
  /**
   * Opens the source without connecting. A stream's first read notices an ERP that cannot be reached, and only that stream stops.
   * Imports the adapter's modules, so that a process loads only the adapters that it uses.
   */
  open(settings: Settings, context: OpenContext): Promise<OpenedSource<Read>>;
}

/** Hides an adapter's own types, so that the register can hold adapters of all kinds. */
export function defineAdapter<Settings, Read>(adapter: Adapter<Settings, Read>): Adapter {
  return adapter;
}
