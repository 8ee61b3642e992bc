import type { Cell, Column } from "../engines/engine.ts";
import type { Oddity } from "../read/oddity.ts";
import type { Sql } from "../sql-text.ts";
import type { Phase, Progress, Settled } from "./cursor.ts";

/** What one poll reads, and what holds once it has read it. */
export type Bounds = Pick<Progress, "lower" | "upper" | "since" | "after">;

export interface Begun {
  readonly bounds: Bounds;
  /** The database no longer knows what happened since the mark: everything must be read again. */
  readonly expired: boolean;
}

/** Which rows a phase reads. */
export interface Condition {
  /** The lower bound, in the order in which the rows are read. */
  readonly above?: Sql | undefined;
  readonly others: readonly Sql[];
}

export const everything: Condition = { others: [] };

export function conditionsOf({ above, others }: Condition): readonly Sql[] {
  return above ? [above, ...others] : others;
}

/** What there would be if anything were new. */
export interface News {
  /** Nothing is new where none of them finds a row. */
  readonly conditions: readonly Sql[];
  /** A server whose clock shows less, in epoch milliseconds, was set back: new rows may lie anywhere. */
  readonly notBeforeMs: number;
}

/** What grows with each change: the part of a stream that knows which rows are new. Created for each poll. */
export interface Marker {
  /** The columns that order the rows of a window, before the key. */
  readonly columns: readonly Column[];
  /** The phases of a poll that is no first load. */
  readonly phases: readonly Phase[];
  /** True where marks are readings of a clock in the source's zone. */
  readonly wall: boolean;
  /** What a poll from here would read; absent or undefined where one statement cannot tell. */
  news?(before: Settled): News | undefined;
  /** Takes the upper bound, before anything is read. */
  begin(before: Settled): Promise<Begun>;
  /**
   * Asked after the last page: did the database know all of the window until then? Present where it discards changes after a
   * time, which may happen while pages are read, or before an interrupted poll resumes.
   */
  wasWhole?(bounds: Bounds): Promise<boolean>;
  /** Which rows belong to a phase. */
  condition(phase: Phase, bounds: Bounds): Condition;
  /**
   * Why the row's marks cannot be read, or undefined.
   * @throws {ParkError} E_SOURCE_FILTER_IGNORED when the database gave a row that the condition excludes.
   */
  verify(phase: Phase, bounds: Bounds, marks: readonly Cell[], key: string): Oddity | undefined;
}
