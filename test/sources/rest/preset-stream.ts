import { parse } from "yaml";
import type { Clock } from "#model";
import { readPresets } from "../../../src/cli/init/presets.ts";
import { restRead, restSettings } from "../../../src/sources/rest/schema.ts";
import { openRest } from "../../../src/sources/rest/source.ts";
import type { SourceStream } from "../../../src/sources/source.ts";
import type { Logger } from "#telemetry";
import { silentLogger } from "../../kit/logger.ts";
import { openContext } from "../reading.ts";

/** A stream of a preset, as the sync file would have it. */
export async function presetStream(
  settings: object,
  read: object,
  clock: Clock,
  logger: Logger = silentLogger,
): Promise<SourceStream> {
  const source = await openRest(restSettings.parse(settings), { ...openContext(clock), logger });
  return source.stream("customers", restRead.parse(read));
}

/** The `read` of a stream in the sync file that `init` writes. */
export function writtenRead(preset: string, stream: string): object {
  const { syncFile } = readPresets().find(({ name }) => name === preset)!;
  return parse(syncFile).streams[stream].read;
}
