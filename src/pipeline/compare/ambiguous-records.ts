import { errorFacts, recordLabel, sleep, type ErrorFacts, type ServiceId } from "#model";
import type { Stream } from "#mapping";
import { eachRecord, type RecordStore, type Store } from "#store";
import type { Logger } from "#telemetry";

/** How soon a record is delivered again whose candidate, or what that was merged into, belongs to another record by now. */
const EVERY_MS = 60_000;

export interface AmbiguousRecordsDeps {
  readonly store: RecordStore & Pick<Store, "retryNow">;
  readonly logger: Logger;
  readonly everyMs?: number | undefined;
}

/**
 * Parked records that could be one of several records of the service, or whose candidate was merged into one of another record of the ERP.
 * Once a candidate belongs to another record of the ERP, or the one that is left no longer to that one, the record is delivered again: what is
 * left may leave no doubt.
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

  /** Makes records due whose reason may be gone. Never throws: a later look finds them, too. */
  async look(signal: AbortSignal): Promise<void> {
    const { store, logger } = this.#deps;
    try {
      const counts = await store.counts(["parked"]);
      for (const stream of this.#streams) {
        if (!counts.get(stream.name)?.parked) continue;
        for await (const view of eachRecord(store, { stream: stream.name, states: ["parked"], unbound: true })) {
          signal.throwIfAborted();
          // Until a retry parks it again, with the candidates that are left, the record is not parked.
          if (view.error && (await this.#isOver(stream, view.error)))
            await store.retryNow({ ...view.id, states: ["parked"] });
        }
      }
    } catch (thrown) {
      if (!signal.aborted) logger.debug({ err: errorFacts(thrown) }, "ambiguous records were not looked at");
    }
  }

  /** Whether the reason may be gone. */
  async #isOver({ resource }: Stream, { code, details }: ErrorFacts): Promise<boolean> {
    const { store } = this.#deps;
    if (code === "E_TICKET_MERGED") {
      const { owner, mergedTo } = details;
      if (typeof owner !== "string" || typeof mergedTo !== "number") return false;
      const now = await store.boundTo({ resource, serviceId: mergedTo });
      return !now || recordLabel(now) !== owner || (await store.record(now))?.error?.code === "E_RECORD_GONE";
    }
    if (code !== "E_MATCH_AMBIGUOUS") return false;
    for (const serviceId of candidatesIn(details["candidates"]))
      if ((await store.boundTo({ resource, serviceId })) !== undefined) return true;
    return false;
  }
}

function candidatesIn(value: unknown): ServiceId[] {
  return Array.isArray(value) ? value.filter((each): each is ServiceId => typeof each === "number") : [];
}
