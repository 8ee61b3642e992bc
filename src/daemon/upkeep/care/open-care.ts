import { join } from "node:path";
import { sleep, type Clock } from "#model";
import { Reconciler } from "#pipeline";
import type { Configuration, Systems } from "../../systems/systems.ts";
import { Backups } from "./backups.ts";
import { DriftWatch } from "./drift-watch.ts";

/** The loops of scheduled maintenance that the settings enable. */
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

/** How often a schedule checks whether it is due, in milliseconds. */
const LOOK_MS = 60_000;
/** How soon a failed attempt is retried, in milliseconds; earlier if its interval is shorter. */
const AGAIN_MS = 60 * 60_000;

/** The last attempt, as stored. */
interface LastTry {
  readonly triedAt: number;
  readonly failure?: string;
}

/** Whether the interval has passed since the last attempt of this or an earlier process. Also true if the clock was set back. */
export function isDue(last: LastTry | undefined, everyMs: number, now: number): boolean {
  if (last === undefined || now < last.triedAt) return true;
  return now - last.triedAt >= (last.failure === undefined ? everyMs : Math.min(everyMs, AGAIN_MS));
}

/** Does the work whenever it is due, until the signal is aborted. `work` must not throw. */
async function atIntervals(
  everyMs: number,
  last: () => Promise<LastTry | undefined>,
  work: (signal: AbortSignal) => Promise<void>,
  { clock, lookMs = LOOK_MS }: { readonly clock: Clock; readonly lookMs?: number | undefined },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await sleep(lookMs, signal);
    if (signal.aborted) return;
    const known = await last().catch(() => "unknown" as const);
    if (known !== "unknown" && isDue(known, everyMs, clock.now())) await work(signal);
  }
}
