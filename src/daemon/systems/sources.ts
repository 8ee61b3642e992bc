import type { SyncFile } from "#mapping";
import type { StreamName } from "#model";
import type { Nudges } from "#pipeline";
import { adapters, type OpenContext, type OpenedSource, type SourceIdentity, type SourceStream } from "#sources";
import { Closing } from "../closing.ts";
import type { KnownSources } from "./known-sources.ts";
import { RenewingSource } from "./renewing-source.ts";

/** All sources of the sync file, opened, and all streams by name. */
export interface Sources extends AsyncDisposable {
  readonly sources: ReadonlyMap<string, OpenedSource<unknown>>;
  readonly streams: ReadonlyMap<StreamName, SourceStream>;
  /** Which data a stream is read from. */
  identity(stream: StreamName, signal: AbortSignal): Promise<SourceIdentity>;
}

export interface SourcesDeps extends Pick<OpenContext, "clock" | "logger"> {
  /** Per source: hides its login tokens in logs, pages and the store. */
  readonly hideLogin?: () => NonNullable<OpenContext["hide"]>;
  /** After refused credentials: a source's current settings, if they differ from `settings`. */
  readonly renew?: (source: string, settings: unknown) => unknown;
  /** Refuses reads of other data than the records come from. Absent: all are read. */
  readonly known?: KnownSources;
}

/** Opens the sources without connecting: a stream notices an unreachable ERP when it is polled. */
export async function openSources(
  syncFile: SyncFile,
  { clock, renew, hideLogin, known, ...parts }: SourcesDeps,
): Promise<Sources> {
  const closing = new Closing();
  const sources = new Map<string, OpenedSource<unknown>>();
  for (const { name, adapter, settings } of syncFile.sources) {
    const logger = parts.logger.child({ source: name });
    const hide = hideLogin && { hide: hideLogin() };
    const open = (settings: unknown) => adapters.get(adapter)!.open(settings, { ...hide, name, clock, logger });
    const source = renew
      ? await RenewingSource.open({ settings, open, renew: (before) => renew(name, before) })
      : await open(settings);
    sources.set(name, closing.use(source));
  }
  const reads = new Map(
    syncFile.streams.map(({ name, source, read }) => [name, { source: sources.get(source)!, read }]),
  );
  const identity = (name: StreamName, signal: AbortSignal) => {
    const { source, read } = reads.get(name)!;
    return source.identity(read, signal);
  };
  const streams = new Map(
    [...reads].map(([name, { source, read }]) => {
      const stream = source.stream(name, read);
      return [name, known?.guarded(name, stream, (signal) => identity(name, signal)) ?? stream];
    }),
  );
  return { sources, streams, identity, [Symbol.asyncDispose]: () => closing[Symbol.asyncDispose]() };
}

/**
 * Listens to the ERPs that report changes, until the signal is aborted. A report that names no stream counts for all streams of the source.
 */
export async function listenToSources(
  { sources, streams }: SyncFile,
  opened: Sources,
  nudges: Nudges,
  signal: AbortSignal,
): Promise<void> {
  await Promise.all(
    sources.map(async ({ name }) => {
      const own = streams.filter(({ source }) => source === name).map((stream) => stream.name);
      await opened.sources.get(name)?.listen?.((told) => {
        const meant = own.filter((stream) => stream === told);
        for (const stream of meant.length > 0 ? meant : own) nudges.nudge(stream);
      }, signal);
    }),
  );
}
