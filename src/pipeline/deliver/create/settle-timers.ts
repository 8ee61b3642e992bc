import type { RecordId } from "#model";
import type { Intent } from "#store";
import { Remembered } from "../failures/remembered.ts";

/**
 * The pause after the first look. Each later pause is as long as the time since the first look, up to the end of the settling time.
 * Looks happen at whole multiples of this, so that creates that were interrupted together share one read of the list.
 */
const LOOK_AGAIN_MS = 1_000;

interface Look {
  /** Identifies the create: a record may be created again later in its life. */
  readonly begunAt: number;
  readonly since: number;
}

/**
 * How long this process has looked for the results of creates. Uses a monotonic clock: a jump of the wall clock would end the wait
 * early or never.
 */
export class SettleTimers {
  readonly #settleMs: number;
  readonly #looks = new Remembered<Look>();

  constructor(settleMs: number) {
    this.#settleMs = settleMs;
  }

  /**
   * How much the look that begins now must read for the record's open create. "news" until the settling time is over: such a look
   * can find the record but proves nothing, so it reads little. Then "afresh", which is the last look; the first look is never the
   * last. The settling time begins after `exposedMs`, the time in which the service may still carry out requests of a lost daemon.
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

  /** Forgets the record: its create is settled. */
  end(id: RecordId): void {
    this.#looks.forget(id);
  }
}

function atWhole(now: number, waitMs: number): number {
  return Math.ceil(Math.ceil((now + waitMs) / LOOK_AGAIN_MS) * LOOK_AGAIN_MS - now);
}
