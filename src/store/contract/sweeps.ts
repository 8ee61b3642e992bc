import type { Key, StreamName } from "#model";

/** Finds deletions by comparing with the keys that the ERP still has. */
export interface SweepStore {
  /**
   * Begins a sweep of the stream and returns its number. Marks of an unfinished sweep are forgotten, and its steps fail with E_SWEEP_LOST
   * (a RetryError).
   */
  beginSweep(stream: StreamName): Promise<number>;

  /** The keys, out of `keys`, that no live record has, or whose record an earlier sweep missed. */
  unseenKeys(stream: StreamName, keys: readonly Key[]): Promise<Key[]>;

  /** Marks these keys as seen in the ERP. */
  markSeen(stream: StreamName, sweep: number, keys: readonly Key[]): Promise<void>;

  /**
   * Ends a complete sweep. Records not seen become suspects. Suspects of an earlier sweep that are still not seen are confirmed. Records
   * that were seen again or really changed meanwhile are cleared. Stages nothing: every later sweep confirms the same records until their
   * deletion is staged. A call that fails may have left suspects, and the sweep did miss those.
   */
  endSweep(stream: StreamName, sweep: number): Promise<{ suspects: number; confirmed: Key[] }>;
}
