import type { Change, Cursor, ErrorFacts, StreamName } from "#model";
import type { StageResult, StreamState, Unreadable } from "../facts.ts";

/** What pollers store: changes from the ERP, and how far each stream was read. */
export interface IntakeStore {
  /** What is known of a stream, also of one that has had no poll. */
  stream(name: StreamName): Promise<StreamState>;

  /**
   * Stores changes and cursor together; a large batch in parts, with the cursor in the last one. A row whose content hash is unchanged is
   * dropped. A real change gets the stream's next sequence,
   * resets attempts and makes the record due. A claimed record becomes due when its claim ends. If a batch holds two changes of one key,
   * the later one wins. A deletion of an unknown key is dropped. `backfill` marks records of a first load, which live changes overtake. A
   * real change ends any wait or park; an open intent stays open. An `unreadable` row counts as a change: the record keeps its last
   * readable row, and its claims carry the error until a readable row or a deletion is staged. A deletion keeps the last row; a record that
   * comes back has its old binding. `complete`: the poll reached the end of its window. `guarded`: a bound record that changes
   * is not claimed before `rounds` decides, as an atomic part of this step.
   */
  stage(
    stream: StreamName,
    batch: {
      changes: readonly Change[];
      unreadable?: readonly Unreadable[];
      cursor: Cursor;
      backfill: boolean;
      guarded?: boolean;
      complete: boolean;
    },
  ): Promise<StageResult>;

  /**
   * Stores the next batch of the stream's deletion feed with that feed's cursor, by the rules of `stage`. The polls' own cursor and facts
   * stay unchanged.
   */
  stageDeletions(
    stream: StreamName,
    batch: { changes: readonly Change[]; unreadable?: readonly Unreadable[]; cursor: Cursor; guarded?: boolean },
  ): Promise<StageResult>;

  /**
   * Stores rows that were read by key outside of a poll, by the rules of `stage`. No cursor moves. `since` is the stream's sequence before
   * the rows were read: records that changed later are left alone, because they may be newer.
   */
  stageRead(
    stream: StreamName,
    read: { changes: readonly Change[]; unreadable?: readonly Unreadable[]; since: number; guarded?: boolean },
  ): Promise<StageResult>;

  /** Stores that a poll failed; the cursor stays. The next `stage` clears it. */
  pollFailed(stream: StreamName, error: ErrorFacts): Promise<void>;

  /** Forgets the cursor, so that the next poll reads everything again (rows that did not change fall out by hash). */
  resetCursor(stream: StreamName): Promise<void>;

  /**
   * If `fingerprint` differs from the stored one, stores it and makes every record of the stream due. A claimed record becomes due when its
   * claim ends, a deleted one never. Live changes overtake these records. Returns how many records; 0 for the first fingerprint. A call
   * that fails has not stored the fingerprint, but may have made some records due.
   */
  remap(stream: StreamName, fingerprint: string): Promise<number>;
}
