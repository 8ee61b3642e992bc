import type { z } from "zod";

/** What of an adapter concerns the sync file. */
export interface AdapterShapes {
  readonly settings: z.ZodType;
  readonly read: z.ZodType;
  /** What `returns` can hand over to in such an ERP; absent if svcsync only reads from it. */
  readonly inbox?: "tables" | "folder";
}

export interface SyncFileContext {
  /** The file's name in messages. */
  readonly file: string;
  /** For `${NAME}` in `sources`. */
  readonly environment: Readonly<Record<string, string>>;
  /**
   * A machine that only runs checks has no passwords: variables may be unset, and settings that contain them are not
   * checked. A source with such a setting is then absent from the file's sources.
   */
  readonly mayLackVariables?: boolean;
  readonly adapters: ReadonlyMap<string, AdapterShapes>;
  /** The resources of the service. */
  readonly resources: ReadonlySet<string>;
  /** The fields of a resource that take whole records: writing them a second time may create those again. */
  readonly embeds?: (resource: string) => readonly string[];
}
