/** Tells those who look at intervals whether there is anything to see. */
export interface RevisionStore {
  /** A number that is another one after each commit, by whatever process; undefined where telling costs as much as looking. */
  revision(): Promise<number | undefined>;
}
