/**
 * What a store forgets after a time: entries of the audit trail, deletions that were announced and carried out, exchanges of watched records
 * (with watches that have ended), hours of the run history.
 */
export type Pruned = "audit" | "deletions" | "exchanges" | "history";

/** Maintenance of the whole store. */
export interface MaintenanceStore {
  /** Removes what is older than `before`, in parts; returns how many. */
  prune(what: Pruned, before: number): Promise<number>;

  /** Marks the store as restored: forgets the match index and the adoption decisions, and sets the note `createsNote` to `creates`. */
  restored(creates: number): Promise<void>;

  /**
   * Writes a consistent copy to `path`; it replaces an earlier copy only once complete. The copy is marked as {@link restored}.
   * @throws {StopError} E_BACKUP_SPACE or E_BACKUP_FOLDER when the copy cannot be written to `path`.
   */
  backup(path: string): Promise<void>;

  /** Rejects with a StopError if the store is damaged or, unless it was opened by a reader, not writable. Reads the whole store: seconds per gigabyte. */
  check(): Promise<void>;

  /** The number of rows in each table, by table name. Counts every row: seconds per million. */
  tableCounts(): Promise<Readonly<Record<string, number>>>;
}
