import type { z } from "zod";

/** The two schemas of an adapter that concern the sync file. */
export interface AdapterShapes {
  readonly settings: z.ZodType;
  readonly read: z.ZodType;
}

export interface SyncFileContext {
  /** How messages call the file. */
  readonly file: string;
  /** For `${NAME}` in `sources`. */
  readonly environment: Readonly<Record<string, string>>;
  /**
   * A machine for checks has no passwords: variables may be unset, and the settings that hold them are not checked. A source
   * with such a setting is then not among the file's sources.
   */
  readonly mayLackVariables?: boolean;
  readonly adapters: ReadonlyMap<string, AdapterShapes>;
  /** The resources of the service. */
  readonly resources: ReadonlySet<string>;
  /** A resource's fields that take whole records: a second write of them may create those again. */
  readonly embeds?: (resource: string) => readonly string[];
}
