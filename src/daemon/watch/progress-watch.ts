import { untilHolds, type RecordId, type StreamName } from "#model";
import type { Delivery, Observer } from "#pipeline";

const LOOK_MS = 250;

/**
 * Notices when a run makes no progress: no row was stored, no poll succeeded, no record reached a final state. Failed attempts are not
 * progress, however many there are.
 */
export class ProgressWatch implements Observer {
  readonly #elapsed: () => number;
  #lastAt: number;

  /** `elapsed` is a monotonic clock, in milliseconds. */
  constructor(elapsed: () => number = () => performance.now()) {
    this.#elapsed = elapsed;
    this.#lastAt = elapsed();
  }

  staged(_stream: StreamName, { changed }: { changed: number }): void {
    if (changed > 0) this.#lastAt = this.#elapsed();
  }

  polled(): void {
    this.#lastAt = this.#elapsed();
  }

  delivered(_id: RecordId, { kind }: Delivery): void {
    if (kind === "done" || kind === "parked" || kind === "uncertain") this.#lastAt = this.#elapsed();
  }

  /** Resolves to true after `limitMs` without progress, to false when the signal is aborted before that. */
  async stalled(limitMs: number, signal: AbortSignal): Promise<boolean> {
    return untilHolds(LOOK_MS, () => this.#elapsed() - this.#lastAt >= limitMs, signal);
  }
}
