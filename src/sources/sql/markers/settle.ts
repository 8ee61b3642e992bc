import type { Pending, Settled } from "./cursor.ts";

/**
 * Decides how far the mark may move after a poll that began at `now`. What a transaction wrote below `now.mark` becomes visible
 * when it commits. So a mark counts once every transaction that was open when it was taken has ended, as far as the server shows
 * them, and `patienceMs` have passed. Until then polls begin at the old mark and see late commits.
 */
export function settle(before: Settled, now: Pending, patienceMs: number): Settled {
  if (patienceMs === 0 && now.open?.length === 0) return { mark: now.mark };
  const { pending } = before;
  if (!pending) return { mark: before.mark, pending: now };
  return hasEnded(pending, now, patienceMs) ? { mark: pending.mark, pending: now } : before;
}

function hasEnded(pending: Pending, now: Pending, patienceMs: number): boolean {
  if (now.atMs - pending.atMs < patienceMs) return false;
  if (!pending.open || !now.open) return true;
  const open = new Set(now.open);
  return !pending.open.some((transaction) => open.has(transaction));
}
