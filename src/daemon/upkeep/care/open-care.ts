import { join } from "node:path";
import { Reconciler } from "#pipeline";
import type { Configuration, Systems } from "../../systems/systems.ts";
import { Backups } from "./backups.ts";
import { DriftWatch } from "./drift-watch.ts";
import { atIntervals } from "./schedule.ts";

/** The loops of scheduled care, as far as the settings ask for them. */
export function openCare(
  { settings, syncFile, logger, upkeepEveryMs: lookMs }: Configuration,
  { store, service, sources, clock }: Systems,
): ((signal: AbortSignal) => Promise<void>)[] {
  const { backupEveryMs, backupDir, backupKeep: keep, reconcileEveryMs } = settings.care;
  const loops: ((signal: AbortSignal) => Promise<void>)[] = [];
  if (backupEveryMs !== undefined) {
    const file = join(settings.dataDir, "svcsync.db");
    const folder = { dir: backupDir ?? join(settings.dataDir, "backups"), isOwn: backupDir === undefined };
    const backups = new Backups({ store, file, ...folder, keep, clock, logger });
    const last = () => store.care.backupState();
    loops.push((signal) => atIntervals(backupEveryMs, last, () => backups.make(), { clock, lookMs }, signal));
  }
  if (reconcileEveryMs !== undefined) {
    const reconciler = new Reconciler(store, service, sources.streams);
    const streams = new Map(syncFile.streams.map((stream) => [stream.name, stream]));
    const compare = (name: string, until: AbortSignal) => reconciler.reconcile(streams.get(name)!, undefined, until);
    const watch = new DriftWatch({ streams: [...streams.keys()], compare, care: store.care, clock, logger });
    const last = () => store.care.driftState();
    loops.push((signal) =>
      atIntervals(reconcileEveryMs, last, (until) => watch.compare(until), { clock, lookMs }, signal),
    );
  }
  return loops;
}
