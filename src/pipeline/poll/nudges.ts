import { errorFacts, type StreamName } from "#model";
import type { Queue } from "#queue";
import type { Logger } from "#telemetry";

export interface NudgesDeps {
  readonly queue: Pick<Queue, "pollNow">;
  readonly logger: Logger;
  /** The least time between two nudged polls of one stream, in milliseconds. */
  readonly floorMs: number;
  /** Milliseconds by a monotonic clock. */
  readonly elapsed?: () => number;
}

/**
 * Polls a stream at once after a hint that the ERP changed. Nudges in quick succession are merged: the first one polls at once, the
 * others share one poll at the end of the floor, so that the last change is always seen. Disposing drops postponed polls, because
 * the schedule polls anyway.
 */
export class Nudges implements Disposable {
  readonly #deps: NudgesDeps;
  readonly #elapsed: () => number;
  readonly #polledAt = new Map<StreamName, number>();
  readonly #later = new Map<StreamName, NodeJS.Timeout>();

  constructor(deps: NudgesDeps) {
    this.#deps = deps;
    this.#elapsed = deps.elapsed ?? (() => performance.now());
  }

  nudge(stream: StreamName): void {
    if (this.#later.has(stream)) return;
    const waitMs = (this.#polledAt.get(stream) ?? -Infinity) + this.#deps.floorMs - this.#elapsed();
    if (waitMs <= 0) return this.#poll(stream);
    const timer = setTimeout(() => {
      this.#later.delete(stream);
      this.#poll(stream);
    }, waitMs);
    this.#later.set(stream, timer);
  }

  [Symbol.dispose](): void {
    for (const timer of this.#later.values()) clearTimeout(timer);
    this.#later.clear();
  }

  #poll(stream: StreamName): void {
    const { queue, logger } = this.#deps;
    this.#polledAt.set(stream, this.#elapsed());
    queue.pollNow(stream).catch((thrown: unknown) => {
      logger.warn({ stream, err: errorFacts(thrown) }, "nudged poll was not taken by the queue");
    });
  }
}
