import { RetryError, type Clock, type Key, type StreamName } from "#model";
import type { Stream } from "#mapping";
import type { SourceStream } from "#sources";
import type { IntakeStore, NoteStore, RecordStore, SweepStore } from "#store";
import type { Logger } from "#telemetry";
import { emptiedNote, guardNote, sweepNote } from "../notes.ts";
import { knownCount } from "../holds/delete-guard.ts";
import { stageChildrenOfDeleted } from "../stage/children-of-deleted.ts";
import { stageByKey } from "../stage/stage-by-key.ts";

/** Pause before a second sweep looks for suspects, unless the sweep interval is shorter. */
const CONFIRM_AFTER_MS = 5 * 60_000;

export interface SweeperDeps {
  readonly store: SweepStore & IntakeStore & RecordStore & NoteStore;
  readonly streams: ReadonlyMap<StreamName, Stream>;
  /** By which the children of deleted records are read again, whatever their stream. */
  readonly sources: ReadonlyMap<StreamName, SourceStream>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly intervalMs: number;
}

/**
 * Compares the keys that the ERP shows with the known records, and stages what no poll can see. A record that became visible
 * without a new stamp is read by its key at once. A record counts as deleted if two complete sweeps in a row did not find it and it
 * cannot be read by its key either. Absence alone deletes nothing. The children of a deleted record are read again first.
 */
export class Sweeper {
  readonly #deps: SweeperDeps;

  constructor(deps: SweeperDeps) {
    this.#deps = deps;
  }

  /**
   * Sweeps the stream if a sweep is due. Runs within the stream's poll, so that no other poll interferes. Returns how many changes
   * were staged.
   * @throws any error of reading the keys. The sweep then does not count.
   * @throws {RetryError} E_SWEEP_EMPTY when the ERP shows no key at all although records are known, until a person confirms it.
   */
  async sweepIfDue(stream: StreamName, source: SourceStream, signal: AbortSignal): Promise<number> {
    const { store, clock, intervalMs } = this.#deps;
    if (source.capabilities.deletions === "flag") return 0;
    const { nextAt } = (await store.note(sweepNote(stream))) ?? { nextAt: 0 };
    const leftMs = nextAt - clock.now();
    // A longer wait than any pause: the clock was set back.
    if (leftMs > 0 && leftMs <= intervalMs) return 0;
    const { suspects, staged } = await this.#sweep(stream, source, signal);
    const pauseMs = suspects > 0 ? Math.min(CONFIRM_AFTER_MS, intervalMs) : intervalMs;
    await store.saveNote(sweepNote(stream), { nextAt: clock.now() + pauseMs });
    return staged;
  }

  async #sweep(
    stream: StreamName,
    source: SourceStream,
    signal: AbortSignal,
  ): Promise<{ suspects: number; staged: number }> {
    const { store, streams, logger } = this.#deps;
    const sweep = await store.beginSweep(stream);
    let seen = 0;
    let shown = 0;
    for await (const keys of source.keys(signal)) {
      await store.markSeen(stream, sweep, keys);
      // The ERP shows these keys (again) although no poll read their rows: their stamps did not move.
      const unseen = await store.unseenKeys(stream, keys);
      shown += (await stageByKey(store, { stream, reads: source }, unseen, { signal })).changed;
      seen += keys.length;
    }
    const isWanted = source.capabilities.deletions === "sweep" && streams.get(stream)?.deletion !== "ignore";
    if (isWanted) await this.#expectMeant(stream, seen);
    else if (await store.note(emptiedNote(stream))) await store.saveNote(emptiedNote(stream), undefined);
    const { suspects, confirmed } = await store.endSweep(stream, sweep);
    const deleted = isWanted ? await this.#stageMissing(stream, source, confirmed, signal) : 0;
    logger.info({ stream, seen, shown, suspects, confirmed: confirmed.length }, "stream swept");
    return { suspects: isWanted ? suspects : 0, staged: shown + deleted };
  }

  /** Refuses a sweep that found nothing: an ERP that shows no key has usually lost a permission, not all its records. */
  async #expectMeant(stream: StreamName, seen: number): Promise<void> {
    const { store } = this.#deps;
    const known = await knownCount(store, stream);
    const confirmed = await store.note(guardNote(stream));
    const isEmptied = seen === 0 && known > (confirmed?.further ?? 0);
    // The person confirmed the records of that time. Records that the ERP shows now need a new confirmation.
    if (seen > 0 && confirmed && confirmed.further > 0)
      await store.replaceNote(guardNote(stream), confirmed, { ...confirmed, further: 0 });
    if (isEmptied || (await store.note(emptiedNote(stream))))
      await store.saveNote(emptiedNote(stream), isEmptied ? known : undefined);
    if (isEmptied)
      throw new RetryError(
        "E_SWEEP_EMPTY",
        `the ERP returned no key of ${stream}, but ${known.toLocaleString("en")} records are known; "svcsync deletions ${stream} --confirm" confirms their deletion`,
      );
  }

  /**
   * Stages missing records as deleted. Keeps a record that can still be read, and one that the ERP refuses to show, because it may
   * exist.
   */
  async #stageMissing(
    stream: StreamName,
    source: SourceStream,
    keys: readonly Key[],
    signal: AbortSignal,
  ): Promise<number> {
    const { store, logger } = this.#deps;
    // Asked only here, after all keys were read: polls alone may have missed rows without a key.
    if (keys.length > 0 && (await source.keyless?.(signal))?.length) {
      logger.warn({ stream, count: keys.length }, "deletions were held back by rows without a key");
      return 0;
    }
    const moved = await stageChildrenOfDeleted(this.#deps, stream, keys, signal);
    const read = await stageByKey(store, { stream, reads: source }, keys, { signal, deleteMissing: true });
    for (const { key, error } of read.refused)
      logger.warn({ stream, key, err: error }, "missing record was not deleted");
    return moved + read.changed;
  }
}
