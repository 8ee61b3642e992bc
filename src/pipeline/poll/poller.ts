import {
  errorFacts,
  SyncError,
  type Change,
  type ChangeBatch,
  type Clock,
  type Cursor,
  type ErrorFacts,
  type StreamName,
} from "#model";
import type { SourceStream } from "#sources";
import type { IntakeStore, NoteStore, RecordStore, Unreadable } from "#store";
import type { Logger } from "#telemetry";
import { keylessNote, refusedDeletionsNote, rereadNote } from "../notes.ts";
import type { Observer } from "../observer.ts";
import type { PolledRounds } from "../guards/mass-guard.ts";
import { keepReports } from "../refused-files.ts";
import type { PollPauses } from "./poll-pauses.ts";
import { stageChildrenOfDeleted } from "../stage/children-of-deleted.ts";
import { screen, type Screened } from "../stage/quarantine.ts";
import type { Sweeper } from "./sweeper.ts";

export interface PollerDeps {
  readonly store: IntakeStore & RecordStore & NoteStore;
  readonly sources: ReadonlyMap<StreamName, SourceStream>;
  readonly sweeper: Pick<Sweeper, "sweepIfDue">;
  readonly pauses: PollPauses;
  /** Decides about the changes of bound records once all of a round are stored. */
  readonly rounds: PolledRounds;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly observer: Required<Observer>;
  /** Called whenever something became due. */
  readonly nudge: () => void;
}

/**
 * Reads changes of the ERP into the store. The cursor moves only together with the rows before it, so an interrupted poll is simply
 * read again.
 */
export class Poller {
  readonly #deps: PollerDeps;
  /** The error codes of the streams' last polls, if they failed. */
  readonly #failing = new Map<StreamName, string>();
  /** Streams whose last failure could not be stored. */
  readonly #unstored = new Set<StreamName>();

  constructor(deps: PollerDeps) {
    this.#deps = deps;
  }

  /**
   * Polls one stream once, to the end of its window. Never throws: a failure is recorded for the stream, which keeps its cursor,
   * and other streams are not affected. Does nothing while polls of the ERP are paused.
   */
  async poll(stream: StreamName, signal: AbortSignal): Promise<void> {
    const { sources, pauses, rounds } = this.#deps;
    const source = sources.get(stream);
    if (!source) return;
    const cause = await pauses.enter(stream, signal);
    if (signal.aborted) return;
    if (cause !== undefined) return await this.#putOff(stream, cause);
    rounds.begin(stream);
    try {
      await this.#read(stream, source, signal);
    } finally {
      rounds.end(stream);
      pauses.left(stream);
    }
  }

  async #read(stream: StreamName, source: SourceStream, signal: AbortSignal): Promise<void> {
    const { store, clock, logger, observer, nudge, pauses, rounds } = this.#deps;
    const startedAt = clock.now();
    const total = { rowsRead: 0, changed: 0, unchanged: 0 };
    try {
      await this.#rereadIfAsked(stream);
      const { cursor, firstLoad } = await store.stream(stream);
      // A batch is stored when the next one arrives, because only the last one completes the window.
      let pending: (Screened & { readonly cursor: Cursor; readonly files: ChangeBatch["files"] }) | undefined;
      const stage = async (complete: boolean) => {
        if (!pending) return;
        const { files = [], ...batch } = pending;
        await this.#tellUnreadable(stream, batch.unreadable);
        // Before the cursor moves, so that a crash in between only repeats the report.
        await keepReports(store, stream, files, clock.now());
        await this.#stageChildren(stream, batch.changes, signal);
        const result = await store.stage(stream, { ...batch, backfill: firstLoad, guarded: true, complete });
        total.rowsRead += pending.changes.length + pending.unreadable.length;
        total.changed += result.changed;
        total.unchanged += result.unchanged;
        observer.staged(stream, result);
        if (result.changed > 0) nudge();
      };
      for await (const batch of source.changes(cursor, signal)) {
        pauses.answered(stream);
        await stage(false);
        pending = { ...screen(stream, batch), cursor: batch.cursor, files: batch.files };
      }
      await stage(true);
      await rounds.decide(stream, signal);
      await this.#deletions(stream, source, signal, total);
      await this.#keyless(stream, source, signal);
      total.changed += await this.#sweep(stream, source, signal);
      await rounds.decide(stream, signal);
      const facts = { ...total, durationMs: clock.now() - startedAt, backfill: firstLoad };
      pauses.succeeded(stream);
      this.#unstored.delete(stream);
      observer.polled(stream, facts);
      if (this.#failing.delete(stream)) logger.info({ stream }, "polls succeed again");
      if (total.changed > 0) logger.info({ stream, ...facts }, "stream polled");
      else logger.debug({ stream, ...facts }, "stream polled");
    } catch (thrown) {
      if (signal.aborted) return;
      // What was read before the failure is a round, too. If this fails as well, the guard decides when the store answers.
      await rounds.decide(stream, signal).catch(() => undefined);
      await this.#failed(stream, thrown);
    }
  }

  /**
   * Resets the cursor if an operator asked for the whole stream. Within a poll, so that no other poll moves the cursor at the same
   * time.
   */
  async #rereadIfAsked(stream: StreamName): Promise<void> {
    const { store } = this.#deps;
    if ((await store.note(rereadNote(stream))) !== true) return;
    await store.resetCursor(stream);
    await store.saveNote(rereadNote(stream), undefined);
  }

  async #deletions(
    stream: StreamName,
    source: SourceStream,
    signal: AbortSignal,
    total: { rowsRead: number; changed: number; unchanged: number },
  ): Promise<void> {
    const { store, observer, nudge } = this.#deps;
    if (!source.deletions) return;
    const { deletionCursor } = await store.stream(stream);
    for await (const batch of source.deletions(deletionCursor, signal)) {
      await this.#stageChildren(stream, batch.changes, signal);
      const result = await store.stageDeletions(stream, {
        ...screen(stream, batch),
        cursor: batch.cursor,
        guarded: true,
      });
      total.changed += result.changed;
      total.rowsRead += batch.changes.length;
      observer.staged(stream, result);
      if (result.changed > 0) nudge();
    }
    await this.#tellRefused(stream, source.refusedDeletions?.());
  }

  /** Before deletions are staged: who deletes a record may have handed its children to another one. */
  async #stageChildren(stream: StreamName, changes: readonly Change[], signal: AbortSignal): Promise<void> {
    const keys = changes.filter(({ kind }) => kind === "delete").map(({ key }) => key);
    if ((await stageChildrenOfDeleted(this.#deps, stream, keys, signal)) > 0) this.#deps.nudge();
  }

  /** Keeps why the list of deletions cannot be read, and logs it once, until it can. */
  async #tellRefused(stream: StreamName, refused: ErrorFacts | undefined): Promise<void> {
    const { store, logger } = this.#deps;
    const wasRefused = (await store.note(refusedDeletionsNote(stream))) !== undefined;
    if (wasRefused === (refused !== undefined)) return;
    if (refused) logger.warn({ stream, err: refused }, "list of deletions was refused");
    await store.saveNote(refusedDeletionsNote(stream), refused?.message);
  }

  /** Logs each unreadable row once. A row that an earlier poll reported is known. */
  async #tellUnreadable(stream: StreamName, rows: readonly Unreadable[]): Promise<void> {
    const { store, logger } = this.#deps;
    for (const { key, error } of rows) {
      const known = await store.record({ stream, key });
      if (known?.unreadable?.message !== error.message) logger.warn({ stream, key, err: error }, "row was unreadable");
    }
  }

  async #keyless(stream: StreamName, source: SourceStream, signal: AbortSignal): Promise<void> {
    const { store, logger } = this.#deps;
    if (!source.keyless) return;
    const rows = await source.keyless(signal);
    const known = ((await store.note(keylessNote(stream))) ?? []).map(({ place }) => place);
    for (const { place, reason } of rows)
      if (!known.includes(place)) logger.warn({ stream, place, reason }, "rows without a key were left out");
    if (rows.length > 0 || known.length > 0) await store.saveNote(keylessNote(stream), rows);
  }

  async #sweep(stream: StreamName, source: SourceStream, signal: AbortSignal): Promise<number> {
    const staged = await this.#deps.sweeper.sweepIfDue(stream, source, signal);
    if (staged > 0) this.#deps.nudge();
    return staged;
  }

  async #failed(stream: StreamName, thrown: unknown): Promise<void> {
    const { logger, observer, pauses } = this.#deps;
    const { error, pauseMs } = pauses.failed(stream, thrown);
    // Errors that heal are warnings. Errors that need a person, and defects of svcsync, are errors.
    const heals = thrown instanceof SyncError && (thrown.family === "retry" || thrown.family === "wait");
    const isKnown = this.#failing.get(stream) === error.code;
    this.#failing.set(stream, error.code);
    // Logged once per outage: the same failure at every interval would drown the log.
    if (isKnown) logger.debug({ stream, pauseMs, err: errorFacts(thrown) }, "poll failed again");
    else if (heals) logger.warn({ stream, pauseMs, err: thrown }, "poll failed");
    else logger.error({ stream, pauseMs, err: thrown instanceof Error ? thrown : error }, "poll stopped");
    await this.#note(stream, error);
    observer.pollFailed(stream, error);
  }

  /** Records that the poll is postponed, because this stream or another one of the source found out that the ERP needs a pause. */
  async #putOff(stream: StreamName, cause: ErrorFacts): Promise<void> {
    const { logger, observer } = this.#deps;
    logger.debug({ stream, err: cause }, "poll was postponed");
    if (this.#failing.get(stream) !== cause.code) {
      this.#failing.set(stream, cause.code);
      await this.#note(stream, cause);
    }
    observer.pollFailed(stream, cause);
  }

  /** Stores the failure before an observer hears of it, because `sync` prints the stream's state as soon as it does. */
  async #note(stream: StreamName, error: ErrorFacts): Promise<void> {
    const { store, logger } = this.#deps;
    try {
      await store.pollFailed(stream, error);
      this.#unstored.delete(stream);
    } catch (storeError) {
      const isKnown = this.#unstored.size > 0;
      this.#unstored.add(stream);
      const facts = { stream, err: storeError instanceof Error ? storeError : errorFacts(storeError) };
      // Logged once per outage of the store: a full disk fails every poll of every stream.
      if (isKnown) logger.debug(facts, "poll failure was not stored");
      else logger.error(facts, "poll failure was not stored");
    }
  }
}
