import type { Clock, StreamName } from "#model";
import type { IntakeStore } from "../contract/intake.ts";
import type { StageResult } from "../facts.ts";
import { newsInParts, type News, type StoreChange } from "../news.ts";
import { moveCursor, moveDeletionCursor } from "../statements/intake.ts";
import type { StatementCall } from "../statements/statement.ts";
import { stageNews, type Staging } from "./staging.ts";
import type { ListDriver } from "./step.ts";

/** A store that finds rows which it has just as they are more quickly without a step. */
interface Sieve {
  /** Drops them, at once. It may leave some. */
  different(stream: StreamName, news: readonly StoreChange[]): readonly StoreChange[];
  /** Waits for the next turn of the event loop if this one was long. */
  pause(): Promise<void>;
}

/** Stores what polls read, in parts. The cursor belongs to the last one, so that an interrupted batch is read again. */
export function intakeRoles(
  driver: ListDriver,
  clock: Clock,
  sieve?: Sieve,
): Pick<IntakeStore, "stage" | "stageDeletions" | "stageRead"> {
  async function stageAll(
    stream: StreamName,
    read: News,
    staging: Staging,
    move?: (now: number) => StatementCall,
  ): Promise<StageResult> {
    const result = { changed: 0, unchanged: 0 };
    for (const { news, isLast } of newsInParts(read)) {
      const different = sieve?.different(stream, news) ?? news;
      result.unchanged += news.length - different.length;
      if (different.length === 0 && !(isLast && move)) {
        await sieve?.pause();
        continue;
      }
      const parts = await driver.takeEach(different, (some, isEnd) => {
        const now = clock.now();
        return stageNews(stream, some, staging, { moves: isLast && isEnd && move ? [move(now)] : [], now });
      });
      for (const { changed, unchanged } of parts) {
        result.changed += changed;
        result.unchanged += unchanged;
      }
    }
    return result;
  }
  return {
    stage(stream, { cursor, backfill, guarded = false, complete, ...read }) {
      const rows = read.changes.length + (read.unreadable?.length ?? 0);
      const values = { stream, cursor: JSON.stringify(cursor), rows, complete: complete ? 1 : 0 };
      return stageAll(stream, read, { backfill, guarded }, (now) => moveCursor({ ...values, now }));
    },
    stageDeletions(stream, { cursor, guarded = false, ...read }) {
      const move = moveDeletionCursor({ stream, cursor: JSON.stringify(cursor) });
      return stageAll(stream, read, { guarded }, () => move);
    },
    stageRead: (stream, { since, guarded = false, ...read }) => stageAll(stream, read, { since, guarded }),
  };
}
