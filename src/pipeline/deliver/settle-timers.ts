import type { RecordId } from "#model";
import type { Intent } from "#store";
import { Remembered } from "./remembered.ts";

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
  readonly #looks = new Remembered<Look>();

  constructor(settleMs: number) {
    this.#settleMs = settleMs;
  }

  /**
   * What the look for the record's open create has to read that begins now: "afresh" once the settling time is over, and then it is
   * the last one. Looks before it may only find the record: little is read for them. The first is never the last. The settling
   * time begins after `exposedMs`, for which the service may still carry out what a lost daemon sends.
   */
  look(id: RecordId, { begunAt }: Pick<Intent, "begunAt">, exposedMs = 0): "news" | "afresh" {
    const now = performance.now();
    const known = this.#looks.get(id);
    if (exposedMs === 0 && known?.begunAt === begunAt) return now - known.since < this.#settleMs ? "news" : "afresh";
    this.#looks.note(id, { begunAt, since: now + exposedMs });
    return "news";
  }

  /** How long to wait after a look that was not the last. */
  nextMs(id: RecordId): number {
    const now = performance.now();
    const since = this.#looks.get(id)?.since ?? now;
    const lookedMs = now - since;
    return atWhole(now, Math.max(LOOK_AGAIN_MS, since - now, Math.min(this.#settleMs - lookedMs, lookedMs)));
  }

  /** The create is settled. */
  end(id: RecordId): void {
    this.#looks.forget(id);
  }
}

function atWhole(now: number, waitMs: number): number {
  return Math.ceil(Math.ceil((now + waitMs) / LOOK_AGAIN_MS) * LOOK_AGAIN_MS - now);
}
