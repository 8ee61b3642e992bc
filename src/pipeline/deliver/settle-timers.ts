import { recordName, type RecordId } from "#model";
import type { Intent } from "#store";

/**
 * The first look is followed by the next after this, and each further one after twice as long as the one before. Looks come at whole
 * multiples of it: those of creates that were cut off together share one reading of the list.
 */
const LOOK_AGAIN_MS = 1_000;

interface Look {
  /** Of which create: a record may be created again later in its life. */
  readonly begunAt: number;
  readonly since: number;
}

/**
 * Since when this process has looked for the results of creates, by a monotonic clock: a wall clock that jumps would
 * end the wait early, or never.
 */
export class SettleTimers {
  readonly #settleMs: number;
  readonly #looks = new Map<string, Look>();

  constructor(settleMs: number) {
    this.#settleMs = settleMs;
  }

  /** How long to wait before the next look for the record's open create, 0 when looking has lasted for the settling time. */
  nextMs(id: RecordId, { begunAt }: Pick<Intent, "begunAt">): number {
    const name = recordName(id);
    const now = performance.now();
    const known = this.#looks.get(name);
    if (known?.begunAt !== begunAt) {
      this.#looks.set(name, { begunAt, since: now });
      return atWhole(now, LOOK_AGAIN_MS);
    }
    const lookedMs = now - known.since;
    const leftMs = this.#settleMs - lookedMs;
    return leftMs <= 0 ? 0 : atWhole(now, Math.max(LOOK_AGAIN_MS, Math.min(leftMs, lookedMs)));
  }

  /** The create is settled. */
  end(id: RecordId): void {
    this.#looks.delete(recordName(id));
  }
}

function atWhole(now: number, waitMs: number): number {
  return Math.ceil(Math.ceil((now + waitMs) / LOOK_AGAIN_MS) * LOOK_AGAIN_MS - now);
}
