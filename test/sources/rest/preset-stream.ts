import type { Clock } from "#model";
import { readSchema, settingsSchema } from "../../../src/sources/rest/schema.ts";
import { openRest } from "../../../src/sources/rest/source.ts";
import type { SourceStream } from "../../../src/sources/source.ts";
import { openContext } from "../reading.ts";

/** A stream of a preset, as the sync file would have it. */
export async function presetStream(settings: object, read: object, clock: Clock): Promise<SourceStream> {
  const source = await openRest(settingsSchema.parse(settings), openContext(clock));
  return source.stream("customers", readSchema.parse(read));
}
