import type { SyncFile } from "#mapping";
import type { StreamName } from "#model";
import { adapters, type OpenContext, type OpenedSource, type Source, type SourceStream } from "#sources";
import { Closing } from "./closing.ts";

/** Every source of the sync file, opened, and every stream by its name. */
export interface Sources extends AsyncDisposable {
  readonly sources: ReadonlyMap<string, Source>;
  readonly streams: ReadonlyMap<StreamName, SourceStream>;
}

/** Opens the sources. Nothing is connected yet: an ERP that is away is noticed by the streams that need it. */
export async function openSources(
  syncFile: SyncFile,
  { clock, ...parts }: Pick<OpenContext, "clock" | "logger" | "hide">,
): Promise<Sources> {
  const closing = new Closing();
  const sources = new Map<string, OpenedSource<unknown>>();
  for (const { name, adapter, settings } of syncFile.sources) {
    const logger = parts.logger.child({ source: name });
    sources.set(name, closing.use(await adapters.get(adapter)!.open(settings, { ...parts, name, clock, logger })));
  }
  const streams = new Map(
    syncFile.streams.map(({ name, source, read }) => [name, sources.get(source)!.stream(name, read)]),
  );
  return { sources, streams, [Symbol.asyncDispose]: () => closing[Symbol.asyncDispose]() };
}
