/** Tells loops that look at intervals whether anything was written. */
export interface RevisionStore {
  /** A number that changes with each commit of any process; undefined where reading it costs as much as looking. */
  revision(): Promise<number | undefined>;
}
