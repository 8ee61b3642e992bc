/** Care of the store as a whole. */
export interface MaintenanceStore {
  /** Removes audit entries older than `before`; returns how many. */
  pruneAudit(before: number): Promise<number>;

  /** Forgets deletions that were told of before `before` and carried out; returns how many. */
  pruneDeletions(before: number): Promise<number>;

  /** Makes a store that was put back forget match index and adoption decisions; the note `createsNote` is then `creates`. */
  restored(creates: number): Promise<void>;

  /**
   * Writes a consistent copy to `path`, over an earlier one once it is whole. The copy is like one that was {@link restored}.
   * @throws {StopError} E_BACKUP_SPACE or E_BACKUP_FOLDER where `path` takes no copy.
   */
  backup(path: string): Promise<void>;

  /** Rejects with a StopError when the store cannot be written to or is damaged. Reads the whole store: seconds per gigabyte. */
  check(): Promise<void>;

  /** How many rows each table has, by the table's name. Counts every row: seconds per million. */
  tableCounts(): Promise<Readonly<Record<string, number>>>;
}
