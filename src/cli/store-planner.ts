import type { SyncFile } from "#mapping";
import { systemClock } from "#model";
import { Planner } from "#pipeline";
import { KnownNames, type Service } from "#service";
import type { LocalSettings } from "#settings";
import type { Store } from "#store";

/** Opens a planner that asks nothing but the store: names of the service are used as they were last read. */
export function openStorePlanner({
  store,
  settings,
  syncFile,
}: {
  readonly store: Store;
  readonly settings: Pick<LocalSettings, "guard">;
  readonly syncFile: SyncFile;
}): Promise<Planner> {
  const known = new KnownNames({ load: (resource) => store.reference(resource) });
  const names = (...[resource, by, value]: Parameters<Service["lookup"]>) => known.lookup(resource, by, value);
  return Planner.open({ store, names, clock: systemClock, guard: settings.guard }, syncFile.streams);
}
