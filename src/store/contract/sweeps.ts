import type { Key, StreamName } from "#model";

/** Finding deletions: which keys the ERP still has. */
export interface SweepStore {
  /**
   * Begins a sweep of the stream and returns its number; marks of an unfinished one are forgotten, and its steps fail with
   * E_SWEEP_LOST (a RetryError).
   */
  beginSweep(stream: StreamName): Promise<number>;

  /** Those of the keys that no live record has, and those whose record an earlier sweep missed. */
  unseenKeys(stream: StreamName, keys: readonly Key[]): Promise<Key[]>;

  /** These keys were seen in the ERP. */
  markSeen(stream: StreamName, sweep: number, keys: readonly Key[]): Promise<void>;

  /**
   * Ends a complete sweep: records not seen become suspects, suspects of an earlier sweep that are still not seen are
   * confirmed; those seen again, or really changed meanwhile, are cleared. Stages nothing: until their deletion is staged,
   * every later sweep confirms them again. One that fails may have left suspects, which the sweep missed.
   */
  endSweep(stream: StreamName, sweep: number): Promise<{ suspects: number; confirmed: Key[] }>;
}
