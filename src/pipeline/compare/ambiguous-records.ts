import { errorFacts, sleep, type ServiceId } from "#model";
import type { Stream } from "#mapping";
import { eachRecord, type RecordStore, type RecordView, type Store } from "#store";
import type { Logger } from "#telemetry";

/** How soon a record is delivered again whose candidate belongs to another record by now. */
const EVERY_MS = 60_000;
const AMBIGUOUS = "E_MATCH_AMBIGUOUS";

export interface AmbiguousRecordsDeps {
  readonly store: RecordStore & Pick<Store, "retryNow">;
  readonly logger: Logger;
  readonly everyMs?: number | undefined;
}

/**
 * Parked records that could be one of several records of the service. Once one of these belongs to another record of the ERP, the record is
 * delivered again: the rest may leave no doubt.
 */
export class AmbiguousRecords {
  readonly #deps: AmbiguousRecordsDeps;
  readonly #streams: readonly Stream[];

  constructor(deps: AmbiguousRecordsDeps, streams: readonly Stream[]) {
    this.#deps = deps;
    this.#streams = streams.filter(({ match }) => match.length > 0);
  }

  /** Looks at intervals, until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.#streams.length > 0) {
      await sleep(this.#deps.everyMs ?? EVERY_MS, signal);
      if (!signal.aborted) await this.look(signal);
    }
  }

  /** Makes records due whose candidates are fewer by now. Never throws: a later look finds them, too. */
  async look(signal: AbortSignal): Promise<void> {
    const { store, logger } = this.#deps;
    try {
      const counts = await store.counts(["parked"]);
      for (const stream of this.#streams) {
        if (!counts.get(stream.name)?.parked) continue;
        for await (const view of eachRecord(store, { stream: stream.name, states: ["parked"], unbound: true })) {
          signal.throwIfAborted();
          // Until a retry parks it again, with the candidates that are left, the record is not parked.
          if (await this.#hasFewer(stream, view)) await store.retryNow({ ...view.id, states: ["parked"] });
        }
      }
    } catch (thrown) {
      if (!signal.aborted) logger.debug({ err: errorFacts(thrown) }, "ambiguous records were not looked at");
    }
  }

  async #hasFewer({ resource }: Stream, { error }: RecordView): Promise<boolean> {
    if (error?.code !== AMBIGUOUS) return false;
    for (const serviceId of candidatesIn(error.details["candidates"]))
      if ((await this.#deps.store.boundTo({ resource, serviceId })) !== undefined) return true;
    return false;
  }
}

function candidatesIn(value: unknown): ServiceId[] {
  return Array.isArray(value) ? value.filter((each): each is ServiceId => typeof each === "number") : [];
}
