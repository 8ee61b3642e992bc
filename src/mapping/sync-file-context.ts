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
  readonly adapters: ReadonlyMap<string, AdapterShapes>;
  /** The resources of the service. */
  readonly resources: ReadonlySet<string>;
}
