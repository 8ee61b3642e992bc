import type { Change } from "#model";
import type { IntakeStore } from "../../contract/intake.ts";
import type { StageResult, Unreadable } from "../../facts.ts";
import { latestOfEach } from "../../news.ts";
import type { SameSql } from "../../roles/same-sql.ts";
import type { Database } from "../database.ts";
import { call, fill, type SqlText } from "../sql.ts";

/** What polls write. */
export function intakeStore(db: Database): Omit<IntakeStore, keyof SameSql> {
  const { clock } = db;
  const staged = async (...statements: readonly SqlText[]): Promise<StageResult> => {
    const [result] = await db.step(statements);
    const [counts]: StageResult[] = result?.rows ?? [];
    return counts ?? { changed: 0, unchanged: 0 };
  };
  return {
    async stage(stream, { changes, unreadable = [], cursor, backfill, complete }) {
      const news = newsAsJson(changes, unreadable);
      const rows = changes.length + unreadable.length;
      return staged(call("stage", stream, news, JSON.stringify(cursor), rows, backfill, complete, clock.now()));
    },
    async stageDeletions(stream, { changes, unreadable = [], cursor }) {
      const news = newsAsJson(changes, unreadable);
      const move = "UPDATE streams SET deletion_cursor = @cursor WHERE stream = @stream";
      return staged(
        call("take_news", stream, news, false, undefined, clock.now()),
        fill(move, { stream, cursor: JSON.stringify(cursor) }),
      );
    },
    async stageRead(stream, { changes, unreadable = [], since }) {
      return staged(call("take_news", stream, newsAsJson(changes, unreadable), false, since, clock.now()));
    },
    async remap(stream, fingerprint) {
      const [result] = await db.step([call("remap", stream, fingerprint, clock.now())]);
      const [row]: { remap: number }[] = result?.rows ?? [];
      return row?.remap ?? 0;
    },
  };
}

function newsAsJson(changes: readonly Change[], unreadable: readonly Unreadable[]): object {
  return latestOfEach(changes, unreadable).map(({ key, hash, deleted, row, unreadable: error }) => ({
    k: key,
    h: hash,
    d: deleted ? 1 : 0,
    r: row && JSON.stringify(row),
    u: error && JSON.stringify(error),
  }));
}
