import type { Clock } from "#model";
import type { IntakeStore } from "../contract/intake.ts";
import { stageInParts } from "../news.ts";
import { moveCursor, moveDeletionCursor } from "../statements/intake.ts";
import { stageNews } from "./staging.ts";
import type { StepDriver } from "./step.ts";

/** Stores what polls read, in parts. The cursor belongs to the last one. */
export function intakeRoles(
  driver: StepDriver,
  clock: Clock,
): Pick<IntakeStore, "stage" | "stageDeletions" | "stageRead"> {
  return {
    stage(stream, { cursor, backfill, guarded = false, complete, ...read }) {
      const rows = read.changes.length + (read.unreadable?.length ?? 0);
      return stageInParts(read, (news, isLast) => {
        const now = clock.now();
        const move = moveCursor({ stream, cursor: JSON.stringify(cursor), rows, complete: complete ? 1 : 0, now });
        return driver.take(stageNews(stream, news, { backfill, guarded }, { moves: isLast ? [move] : [], now }));
      });
    },
    stageDeletions(stream, { cursor, guarded = false, ...read }) {
      const move = moveDeletionCursor({ stream, cursor: JSON.stringify(cursor) });
      return stageInParts(read, (news, isLast) =>
        driver.take(stageNews(stream, news, { guarded }, { moves: isLast ? [move] : [], now: clock.now() })),
      );
    },
    stageRead: (stream, { since, guarded = false, ...read }) =>
      stageInParts(read, (news) => driver.take(stageNews(stream, news, { since, guarded }, { now: clock.now() }))),
  };
}
