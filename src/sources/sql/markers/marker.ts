import type { SqlCell, Column } from "../engines/engine.ts";
import type { Oddity } from "../read/oddity.ts";
import type { Sql } from "../sql-text.ts";
import type { Phase, PollProgress, Settled } from "./cursor.ts";

/** What one poll reads, and what applies once it has read it. */
export type Bounds = Pick<PollProgress, "lower" | "upper" | "since" | "after">;

export interface Begun {
  readonly bounds: Bounds;
  /** True if the database no longer knows what happened since the mark, so that everything must be read again. */
  readonly expired: boolean;
}

/** Which rows a phase reads. */
export interface RowCondition {
  /** The lower bound, in the order in which the rows are read. */
  readonly above?: Sql | undefined;
  readonly others: readonly Sql[];
}

export const everything: RowCondition = { others: [] };

export function rowConditions({ above, others }: RowCondition): readonly Sql[] {
  return above ? [above, ...others] : others;
}

/** How to find out whether anything is new. */
export interface NewRows {
  /** Nothing is new if none of these finds a row. */
  readonly conditions: readonly Sql[];
  /** The condition of the newest known rows. If it finds none, they were deleted, or the database leaves out what it should show. */
  readonly known?: Sql | undefined;
  /** If the server's clock shows less than this, in epoch milliseconds, it was set back, and new rows may lie anywhere. */
  readonly notBeforeMs: number;
}

/** What grows with each change. It knows which rows of a stream are new, and is created for each poll. */
export interface Marker {
  /** The columns that order the rows of a window, before the key. */
  readonly columns: readonly Column[];
  /** The phases of a poll that is not a first load. */
  readonly phases: readonly Phase[];
  /** True if marks are readings of a clock in the source's zone. */
  readonly wall: boolean;
  /** Returns how to find out whether a poll from here would read anything; absent or undefined if one statement cannot tell. */
  news?(before: Settled): NewRows | undefined;
  /** Takes the upper bound, before anything is read. */
  begin(before: Settled): Promise<Begun>;
  /**
   * Called after the last page: whether the database knew the whole window until then. Present if it discards changes after a time,
   * which may happen while pages are read, or before an interrupted poll resumes.
   */
  wasWhole?(bounds: Bounds): Promise<boolean>;
  /**
   * Called after the last page: expects that the database shows the row with the highest mark when it is asked for exactly that mark. Asks
   * only if no page of this poll showed it, or while stamps come late: each poll looks back further then.
   * @throws {ParkError} E_SOURCE_FILTER_MISSES when it does not. It would leave out changes in the same way.
   */
  prove?(bounds: Bounds): Promise<void>;
  /** Returns which rows belong to a phase. */
  condition(phase: Phase, bounds: Bounds): RowCondition;
  /**
   * Returns why the row's marks cannot be read, or undefined.
   * @throws {ParkError} E_SOURCE_FILTER_IGNORED when the database returned a row that the condition excludes.
   */
  verify(phase: Phase, bounds: Bounds, marks: readonly SqlCell[], key: string): Oddity | undefined;
}
