import { errorFacts, errorText, type Clock, type StreamName } from "#model";
import type { Reconciliation } from "#pipeline";
import type { CareStore } from "#store";
import type { Logger } from "#telemetry";

export interface DriftWatchDeps {
  readonly streams: readonly StreamName[];
  /** Compares one stream. */
  readonly compare: (stream: StreamName, signal: AbortSignal) => Promise<Pick<Reconciliation, "drifts">>;
  readonly care: CareStore;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Compares the service with what was written, and only reports: a person decides what to do about a difference. */
export class DriftWatch {
  readonly #deps: DriftWatchDeps;

  constructor(deps: DriftWatchDeps) {
    this.#deps = deps;
  }

  /** Compares all streams once. Never throws. */
  async compare(signal: AbortSignal): Promise<void> {
    const { care, clock, logger } = this.#deps;
    const triedAt = clock.now();
    try {
      const before = await care.driftState();
      try {
        const drifts = await this.#drifts(signal);
        await care.saveDriftState({ triedAt, comparedAt: clock.now(), drifts });
        logger.info({ drifts }, "service was compared with what was written");
      } catch (thrown) {
        if (signal.aborted) return;
        logger.warn({ err: errorFacts(thrown) }, "service could not be compared");
        await care.saveDriftState({ ...before, triedAt, failure: errorText(errorFacts(thrown)) });
      }
    } catch (thrown) {
      logger.warn({ err: errorFacts(thrown) }, "state of the comparison was not stored");
    }
  }

  async #drifts(signal: AbortSignal): Promise<Record<string, Record<string, number>>> {
    const { compare, streams } = this.#deps;
    const drifts: Record<string, Record<string, number>> = {};
    for (const stream of streams) drifts[stream] = countsOf(await compare(stream, signal));
    return drifts;
  }
}

function countsOf({ drifts }: Pick<Reconciliation, "drifts">): Record<string, number> {
  const counts: Record<string, number> = { changed: 0, missing: 0, doubled: 0, unread: 0 };
  for (const { kind } of drifts) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}
