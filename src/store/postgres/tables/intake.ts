import type { StreamName } from "#model";
import type { IntakeStore } from "../../contract/intake.ts";
import type { StageResult } from "../../facts.ts";
import { stageInParts, type StoreChange } from "../../news.ts";
import type { SameSql } from "../../roles/same-sql.ts";
import { stateList } from "../../rows/state-list.ts";
import { statesMovedTo } from "../../transitions.ts";
import type { Database } from "../database.ts";
import { partsOf } from "../in-parts.ts";
import { call, fill, type SqlText } from "../sql.ts";

const KEEP_FIRST = "UPDATE streams SET fingerprint = @fingerprint WHERE stream = @stream AND fingerprint IS NULL";
const IS_KNOWN = "SELECT 1 FROM streams WHERE stream = @stream AND fingerprint = @fingerprint";
/** Updates claimed records, then due ones, then the others, which become due. */
const MAKE_DUE = [
  "UPDATE records SET again = 1 WHERE id = ANY (@ids) AND state = 'claimed'",
  "UPDATE records SET due_at = least(due_at, @now), attempts = 0, error = NULL WHERE id = ANY (@ids) AND state = 'due'",
  `UPDATE records SET state = 'due', due_at = @now, attempts = 0, error = NULL, backfill = 1
   WHERE id = ANY (@ids) AND state IN (${stateList(statesMovedTo("due", "remap"))})`,
];
const MOVE_DELETIONS = "UPDATE streams SET deletion_cursor = @cursor WHERE stream = @stream";
const KEEP = "UPDATE streams SET fingerprint = @fingerprint WHERE stream = @stream";

/** Stores what polls read. */
export function intakeStore(db: Database): Omit<IntakeStore, keyof SameSql> {
  const { clock } = db;
  const taking = (
    stream: StreamName,
    news: readonly StoreChange[],
    { backfill = false, since, guarded = false }: { backfill?: boolean; since?: number; guarded?: boolean } = {},
  ) => call("take_news", stream, asJson(news), backfill, since, guarded, clock.now());
  const staged = async (...statements: readonly SqlText[]): Promise<StageResult> => {
    const [result] = await db.step(statements);
    const [counts]: StageResult[] = result?.rows ?? [];
    return counts ?? { changed: 0, unchanged: 0 };
  };
  return {
    stage(stream, { changes, unreadable = [], cursor, backfill, guarded = false, complete }) {
      const rows = changes.length + unreadable.length;
      return stageInParts({ changes, unreadable }, (news, isLast) =>
        isLast
          ? staged(
              call(
                "stage",
                stream,
                asJson(news),
                JSON.stringify(cursor),
                rows,
                backfill,
                guarded,
                complete,
                clock.now(),
              ),
            )
          : staged(taking(stream, news, { backfill, guarded })),
      );
    },
    stageDeletions(stream, { cursor, guarded = false, ...read }) {
      const move = fill(MOVE_DELETIONS, { stream, cursor: JSON.stringify(cursor) });
      return stageInParts(read, (news, isLast) => staged(taking(stream, news, { guarded }), ...(isLast ? [move] : [])));
    },
    stageRead: (stream, { since, guarded = false, ...read }) =>
      stageInParts(read, (news) => staged(taking(stream, news, { since, guarded }))),
    async remap(stream, fingerprint) {
      const values = { stream, fingerprint };
      const begin = [KEEP_FIRST, IS_KNOWN].map((sql) => fill(sql, values));
      const begun = await db.step([call("ensure_stream", stream), ...begin]);
      if (begun.at(-1)?.rowCount === 1) return 0;
      let count = 0;
      for (const { ids } of await partsOf(db, "id", "records WHERE stream = @stream", { stream })) {
        const made = await db.step(MAKE_DUE.map((sql) => fill(sql, { ids, now: clock.now() })));
        count += made.reduce((sum, { rowCount }) => sum + (rowCount ?? 0), 0);
      }
      // An interrupted remap starts over.
      await db.step([fill(KEEP, values)]);
      return count;
    },
  };
}

function asJson(news: readonly StoreChange[]): object {
  return news.map(({ key, hash, deleted, row, unreadable: error }) => ({
    k: key,
    h: hash,
    d: deleted ? 1 : 0,
    r: row && JSON.stringify(row),
    u: error && JSON.stringify(error),
  }));
}
