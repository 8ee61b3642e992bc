import type { StreamName } from "#model";

/** Records whose guarded change is not decided yet. */
export interface Undecided {
  /** Records that no hold applied to before. */
  readonly fresh: number;
  /** Held records that have changed again. */
  readonly again: number;
}

/**
 * - `letThrough`: the undecided changes are delivered. Records that were held before are held again if `keepHeld`.
 * - `hold`: the undecided changes are held until they are released. Later changes of a held record are undecided again, and it stays held
 * meanwhile.
 * - `release`: the held records can be claimed, behind live changes. Undecided ones stay undecided.
 */
export type RoundDecision =
  | { readonly kind: "letThrough"; readonly upTo: number; readonly keepHeld: boolean }
  | { readonly kind: "hold"; readonly upTo: number }
  | { readonly kind: "release" };

/**
 * Decides about guarded changes of bound records: they are staged as undecided, and no claim gets them before a decision. `upTo` is the
 * stream's sequence when they were counted: changes staged later stay undecided.
 */
export interface RoundStore {
  undecided(stream: StreamName, upTo: number): Promise<Undecided>;

  /** Decides, in parts. Returns for how many records. */
  decide(stream: StreamName, decision: RoundDecision): Promise<number>;

  /** How many records of the stream are bound and not deleted in the ERP. */
  boundCount(stream: StreamName): Promise<number>;

  /** How many records of the stream were updated in the service since then, by the audit trail. */
  updatedCount(stream: StreamName, since: number): Promise<number>;
}
