import type { Change, Cursor, ErrorFacts, StreamName } from "#model";
import type { CursorState, StageResult, Unreadable } from "../facts.ts";

/** What pollers write: the changes of the ERP, and how far each stream was read. */
export interface IntakeStore {
  cursor(stream: StreamName): Promise<CursorState>;

  /**
   * Stores changes and cursor together. A row whose content hash is what the store has is dropped; a real change gets
   * the stream's next sequence, resets attempts and makes the record due, except one that is claimed: its worker makes
   * it due when it is done. Two changes of one key in a batch: the later one wins. A deletion of an unknown key is dropped.
   * `backfill` marks records of a first load, which live changes overtake. A real change ends whatever a record was
   * waiting for or parked with; an open intent stays open. An `unreadable` row is a change, too: the record keeps its last
   * readable row, and its claims carry the error until a readable row or a deletion is staged. A deletion keeps the last row; a record that comes back has its
   * old binding. `complete`: the poll reached the end of its window.
   */
  stage(
    stream: StreamName,
    batch: {
      changes: readonly Change[];
      unreadable?: readonly Unreadable[];
      cursor: Cursor;
      backfill: boolean;
      complete: boolean;
    },
  ): Promise<StageResult>;

  /**
   * Stores the next batch of the stream's deletion feed together with that feed's cursor, by the rules of `stage`. The cursor
   * of the polls and what is known about them stay.
   */
  stageDeletions(
    stream: StreamName,
    batch: { changes: readonly Change[]; unreadable?: readonly Unreadable[]; cursor: Cursor },
  ): Promise<StageResult>;

  /**
   * Stores rows that were read by their keys, beside the polls, by the rules of `stage`. No cursor moves. `since` is the
   * stream's sequence from before they were read: a record that changed after it keeps what it has, which may be newer.
   */
  stageRead(
    stream: StreamName,
    read: { changes: readonly Change[]; unreadable?: readonly Unreadable[]; since: number },
  ): Promise<StageResult>;

  /** Notes that a poll failed; the cursor stays. Cleared by the next `stage`. */
  pollFailed(stream: StreamName, error: ErrorFacts): Promise<void>;

  /** Forgets the cursor, so that the next poll reads everything again (rows that did not change fall out by hash). */
  resetCursor(stream: StreamName): Promise<void>;

  /**
   * Makes every record of the stream due when `fingerprint` differs from the one stored, and stores it; a claimed record
   * when its claim ends, a deleted one never. Live changes overtake them. Returns how many; none by the first
   * fingerprint. One that fails has not stored it, and may have made some due.
   */
  remap(stream: StreamName, fingerprint: string): Promise<number>;

  /** The fingerprint of the mapping that the stream's records were last made due for; undefined before the first. */
  fingerprint(stream: StreamName): Promise<string | undefined>;
}
