import type { SyncFile } from "#mapping";
import type { StreamName } from "#model";
import type { Nudges } from "#pipeline";
import { adapters, type OpenContext, type OpenedSource, type Source, type SourceStream } from "#sources";
import { Closing } from "../closing.ts";
import { RenewingSource } from "./renewing-source.ts";

/** Every source of the sync file, opened, and every stream by its name. */
export interface Sources extends AsyncDisposable {
  readonly sources: ReadonlyMap<string, Source>;
  readonly streams: ReadonlyMap<StreamName, SourceStream>;
}

export interface SourcesDeps extends Pick<OpenContext, "clock" | "logger"> {
  /** Of each source: takes the tokens that its logins bring out of all that is logged, shown and stored. */
  readonly hideLogin?: () => NonNullable<OpenContext["hide"]>;
  /** After refused credentials: the settings of a source as they are now, if they are others than these. */
  readonly renew?: (source: string, settings: unknown) => unknown;
}

/** Opens the sources. Nothing is connected yet: an ERP that cannot be reached is noticed by the streams that need it. */
export async function openSources(
  syncFile: SyncFile,
  { clock, renew, hideLogin, ...parts }: SourcesDeps,
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
  const streams = new Map(
    syncFile.streams.map(({ name, source, read }) => [name, sources.get(source)!.stream(name, read)]),
  );
  return { sources, streams, [Symbol.asyncDispose]: () => closing[Symbol.asyncDispose]() };
}

/** Listens to the ERPs that report changes, until the signal is aborted. A word that names no stream means all of the source. */
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
