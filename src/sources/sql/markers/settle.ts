import type { StoredCell } from "./cursor.ts";

/** Up to where a stream has been read for good, and the next such place, which some transactions still hold open. */
export interface Settled {
  /** Everything up to here has been seen; null: nothing yet. */
  readonly mark: string | null;
  readonly pending?: Pending | undefined;
  /** The highest stamp that there was, as the database writes it. */
  readonly highest?: readonly StoredCell[] | undefined;
  /** The server's clock, epoch milliseconds, when a new stamp came that lay below the overlap: others may follow below it. */
  readonly lateAtMs?: number | undefined;
}

export interface Pending {
  readonly mark: string;
  /** The server's clock when `mark` was taken, epoch milliseconds. */
  readonly atMs: number;
  /** The transactions that were open then; absent where the server does not tell. */
  readonly open?: readonly string[] | undefined;
}

/**
 * Decides how far the mark may move after a poll that began at `now`. What a transaction wrote below `now.mark` becomes
 * visible when it commits; so a mark counts once every transaction that was open when it was taken has ended, as far as
 * the server tells, and `patienceMs` have passed. Meanwhile polls begin at the old mark and see the late ones.
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
