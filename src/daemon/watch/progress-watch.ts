import { sleep, type RecordId, type StreamName } from "#model";
import type { Delivery, Observer } from "#pipeline";

const LOOK_MS = 250;

/**
 * Notices when a run no longer gets anywhere: no row was stored, no poll ended well, no record reached an end. Attempts that failed
 * are no progress, however many there are.
 */
export class ProgressWatch implements Observer {
  readonly #elapsed: () => number;
  #lastAt: number;

  /** `elapsed`: milliseconds by a monotonic clock. */
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

  /** Resolves to true once nothing progressed for `limitMs`, to false when the signal is aborted before. */
  async stalled(limitMs: number, signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      if (this.#elapsed() - this.#lastAt >= limitMs) return true;
      await sleep(LOOK_MS, signal);
    }
    return false;
  }
}
