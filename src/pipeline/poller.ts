import { errorFacts, SyncError, type Clock, type StreamName } from "#model";
import type { SourceStream } from "#sources";
import type { Store } from "#store";
import type { Logger } from "#telemetry";
import type { Observer } from "./observer.ts";
import type { Sweeper } from "./sweeper.ts";

export interface PollerParts {
  readonly store: Store;
  readonly sources: ReadonlyMap<StreamName, SourceStream>;
  readonly sweeper: Pick<Sweeper, "sweepIfDue">;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly observer: Required<Observer>;
  /** Called whenever something became due. */
  readonly nudge: () => void;
}

/**
 * Reads what the ERP says has changed into the store. The cursor moves only with the rows it stands behind, so a poll that
 * dies anywhere is simply read again.
 */
export class Poller {
  readonly #parts: PollerParts;
  /** What the streams' last polls failed with. */
  readonly #failing = new Map<StreamName, string>();

  constructor(parts: PollerParts) {
    this.#parts = parts;
  }

  /**
   * One poll of one stream, to the end of its window. Never throws: a poll that fails is noted at the stream, which keeps
   * its cursor; other streams are not touched.
   */
  async poll(stream: StreamName, signal: AbortSignal): Promise<void> {
    const { store, sources, clock, logger, observer, nudge } = this.#parts;
    const source = sources.get(stream);
    if (!source) return;
    const startedAt = clock.now();
    const total = { rowsRead: 0, changed: 0, unchanged: 0 };
    try {
      const { cursor, firstLoad } = await store.cursor(stream);
      // The batch before the last is stored while the last is still unknown: only the last one completes the window.
      let pending:
        | { changes: Parameters<Store["stage"]>[1]["changes"]; cursor: Parameters<Store["stage"]>[1]["cursor"] }
        | undefined;
      const stage = async (complete: boolean) => {
        if (!pending) return;
        const result = await store.stage(stream, { ...pending, backfill: firstLoad, complete });
        total.rowsRead += pending.changes.length;
        total.changed += result.changed;
        total.unchanged += result.unchanged;
        observer.staged(stream, result);
        if (result.changed > 0) nudge();
      };
      for await (const batch of source.changes(cursor, signal)) {
        await stage(false);
        pending = batch;
      }
      await stage(true);
      await this.#deletions(stream, source, signal, total);
      total.changed += await this.#sweep(stream, source, signal);
      const facts = { ...total, durationMs: clock.now() - startedAt, backfill: firstLoad };
      observer.polled(stream, facts);
      if (this.#failing.delete(stream)) logger.info({ stream }, "polls succeed again");
      if (total.changed > 0) logger.info({ stream, ...facts }, "stream polled");
      else logger.debug({ stream, ...facts }, "stream polled");
    } catch (thrown) {
      if (signal.aborted) return;
      await this.#failed(stream, thrown);
    }
  }

  /** The deletion feed has its own cursor, kept as a note: it moves after its changes are staged. */
  async #deletions(
    stream: StreamName,
    source: SourceStream,
    signal: AbortSignal,
    total: { rowsRead: number; changed: number; unchanged: number },
  ): Promise<void> {
    const { store, observer, nudge } = this.#parts;
    if (!source.deletions) return;
    const name = `deletions/${stream}`;
    const from = (await store.note(name)) ?? null;
    for await (const batch of source.deletions(from, signal)) {
      const { cursor } = await store.cursor(stream);
      const result = await store.stage(stream, { changes: batch.changes, cursor, backfill: false, complete: true });
      await store.saveNote(name, batch.cursor);
      total.changed += result.changed;
      total.rowsRead += batch.changes.length;
      observer.staged(stream, result);
      if (result.changed > 0) nudge();
    }
  }

  async #sweep(stream: StreamName, source: SourceStream, signal: AbortSignal): Promise<number> {
    const staged = await this.#parts.sweeper.sweepIfDue(stream, source, signal);
    if (staged > 0) this.#parts.nudge();
    return staged;
  }

  async #failed(stream: StreamName, thrown: unknown): Promise<void> {
    const { store, logger, observer } = this.#parts;
    const error = errorFacts(thrown);
    observer.pollFailed(stream, error);
    // What heals itself is a warning; what needs a person, or is a defect of ours, is an error.
    const heals = thrown instanceof SyncError && (thrown.family === "retry" || thrown.family === "wait");
    const isKnown = this.#failing.get(stream) === error.code;
    this.#failing.set(stream, error.code);
    // Said once per outage: the same failure at every interval would drown the log.
    if (isKnown) logger.debug({ stream, err: error }, "poll failed again");
    else if (heals) logger.warn({ stream, err: thrown }, "poll failed");
    else logger.error({ stream, err: thrown instanceof Error ? thrown : error }, "poll stopped");
    try {
      await store.pollFailed(stream, error);
    } catch (storeError) {
      logger.error(
        { stream, err: storeError instanceof Error ? storeError : errorFacts(storeError) },
        "poll failure was not stored",
      );
    }
  }
}
