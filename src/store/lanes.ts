/**
 * The column `backfill` of a record: in which lane it waits for its delivery. Deliveries claim records of the first two lanes only. The
 * others hold the bound records that a guarded read changed: `undecided` until the round was counted, `held` when the round changed too
 * many. `heldAgain` is a held record that another round has changed, which is undecided too.
 */
export const LANE = { live: 0, backfill: 1, undecided: 2, held: 3, heldAgain: 4 } as const;

/** A record in this lane or a later one is not claimed. */
export const FIRST_GUARDED = LANE.undecided;
