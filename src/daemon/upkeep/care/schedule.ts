import { sleep, type Clock } from "#model";

/** How often a schedule looks whether its time has come. */
const LOOK_MS = 60_000;
/** What failed is retried after an hour, or at its interval if that is shorter. */
const AGAIN_MS = 60 * 60_000;

/** The last try, as the store keeps it. */
export interface LastTry {
  readonly triedAt: number;
  readonly failure?: string;
}

/** Whether the time has come since the last try of this or an earlier process. A clock that was set back counts as time that passed. */
export function isDue(last: LastTry | undefined, everyMs: number, now: number): boolean {
  if (last === undefined || now < last.triedAt) return true;
  return now - last.triedAt >= (last.failure === undefined ? everyMs : Math.min(everyMs, AGAIN_MS));
}

/** Does the work whenever its time has come, until the signal is aborted. `work` never throws. */
export async function atIntervals(
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
