import type { z } from "zod";
import type { Clock } from "#model";
import type { Logger } from "#telemetry";
import type { Source, SourceStream } from "./source.ts";

export interface OpenContext {
  /** The source's name in the sync file. */
  readonly name: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Takes secrets that a login brings out of all that is logged, shown and stored. */
  readonly hide?: (...secrets: string[]) => void;
}

export interface OpenedSource<Read> extends Source {
  /** The stream that `read` describes. Opens nothing: the first read does. */
  stream(name: string, read: Read): SourceStream;
}

/** A kind of ERP connection: one folder, one line in the register. */
export interface Adapter<Settings = unknown, Read = unknown> {
  /** The word after `adapter:` in the sync file. */
  readonly name: string;
  /** The source's settings beside `adapter`; unknown members are refused. Every member has a `.describe()`. */
  readonly settings: z.ZodType<Settings>;
  /** A stream's `read`; unknown members are refused. Every member has a `.describe()`. */
  readonly read: z.ZodType<Read>;
  /**
   * Connects to nothing yet: an ERP that cannot be reached is noticed by the first read of a stream, and stops that stream alone. Imports the
   * adapter's modules, so that a process loads only the adapters that it uses.
   */
  open(settings: Settings, context: OpenContext): Promise<OpenedSource<Read>>;
}

/** Keeps an adapter's own types inside its folder: the register holds adapters of all kinds side by side. */
export function defineAdapter<Settings, Read>(adapter: Adapter<Settings, Read>): Adapter {
  return adapter;
}
