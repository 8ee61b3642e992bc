import { sleep, type RecordState } from "#model";
import type { Desk } from "./rig.ts";

const LOOK_MS = 500;
/** Without any progress for so long nothing will come any more. A deletion looks for its children again after minutes. */
const STUCK_MS = 200_000;
/** Two sweeps and the settling of a last create fit into it. */
const QUIET_MS = 12_000;

export type Counts = Readonly<Record<string, Readonly<Partial<Record<RecordState, number>>>>>;

/**
 * Waits until the daemon has nothing left to do and it stays so. Bounded by progress, not by time: as long as anything
 * moves it waits. Returns the records by state as the store tells them at the end.
 */
export async function drain(desk: Desk, isDone: () => Promise<boolean>): Promise<{ counts: Counts; isQuiet: boolean }> {
  await using store = await desk.openStore();
  let last = "";
  let movedAt = Date.now();
  for (;;) {
    const counts: Counts = Object.fromEntries(await store.counts());
    const now = JSON.stringify([counts, desk.sandbox.ledger.writes().length]);
    if (now !== last) movedAt = Date.now();
    last = now;
    const isQuiet = !Object.values(counts).some(({ due = 0, claimed = 0 }) => due + claimed > 0) && (await isDone());
    if (isQuiet && Date.now() - movedAt > QUIET_MS) return { counts, isQuiet: true };
    if (Date.now() - movedAt > STUCK_MS) return { counts, isQuiet: false };
    await sleep(LOOK_MS);
  }
}
