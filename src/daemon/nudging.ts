import type { SyncFile } from "#mapping";
import type { Nudges } from "#pipeline";
import type { Sources } from "./sources.ts";

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
