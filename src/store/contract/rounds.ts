import type { StreamName } from "#model";

/** Records whose guarded change is not decided yet. */
export interface Undecided {
  /** Records that no hold applied to before. */
  readonly fresh: number;
  /** Held records that have changed again. */
  readonly again: number;
}

/**
 * Decides about guarded changes of bound records: they are staged as undecided, and no claim gets them before a step below. `upTo` is the
 * stream's sequence when they were counted: changes staged later stay undecided.
 */
export interface RoundStore {
  undecided(stream: StreamName, upTo: number): Promise<Undecided>;

  /** Lets the undecided changes through. Records that were held before are held again if `keepHeld`. */
  letThrough(stream: StreamName, of: { upTo: number; keepHeld: boolean }): Promise<void>;

  /** Holds the undecided changes until `release`. Later changes of a held record are undecided again, and it stays held meanwhile. */
  hold(stream: StreamName, upTo: number): Promise<void>;

  /** Makes the held records claimable, behind live changes. Undecided ones stay undecided. Returns how many. */
  release(stream: StreamName): Promise<number>;

  /** How many records of the stream are bound and not deleted in the ERP. */
  boundCount(stream: StreamName): Promise<number>;

  /** How many records of the stream were updated in the service since then, by the audit trail. */
  updatedCount(stream: StreamName, since: number): Promise<number>;
}
