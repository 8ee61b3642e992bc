import type { Dialect } from "../roles/access.ts";
import { statement } from "./statement.ts";

interface Forgotten {
  readonly record: number;
  readonly stream: string;
  readonly key: string;
}

/** Overwrites or removes some of what is stored of a record's contents. */
const erase = (name: string, sql: (dialect: Dialect) => string) =>
  statement<Forgotten>({
    name: `erase_${name}`,
    takes: { record: "integer", stream: "text", key: "text" },
    sql,
  });

export const eraseRow = erase("row", ({ from }) => `UPDATE contents SET row = '{}' ${from} WHERE record = @record`);

export const eraseAudit = erase(
  "audit",
  ({ isOf }) => `UPDATE audit SET before = NULL, after = NULL, why = NULL WHERE ${isOf("audit", "@stream", "@key")}`,
);

/** Removes the attempts, because their outcome quotes what was answered. */
export const eraseAttempts = erase(
  "attempts",
  ({ isOf }) => `DELETE FROM audit WHERE ${isOf("audit", "@stream", "@key")} AND action = 'attempt'`,
);

export const eraseExchanges = erase(
  "exchanges",
  ({ isOf }) => `DELETE FROM exchanges WHERE ${isOf("exchanges", "@stream", "@key")}`,
);

export const eraseWatches = erase(
  "watches",
  ({ isOf }) => `DELETE FROM watches WHERE ${isOf("watches", "@stream", "@key")}`,
);

export const eraseNotices = erase("notices", ({ forgetNotices }) => forgetNotices);

export const eraseNoticeEvents = erase("notice_events", ({ forgetNoticeEvents }) => forgetNoticeEvents);

/** Gives a forgotten record its next state, and a hash that no content has. */
export const forgetContents = statement<{
  record: number;
  state: string;
  hash: string;
  error: string | null;
  unreadable: string;
}>({
  name: "forget_contents",
  takes: { record: "integer", state: "text", hash: "text", error: "text", unreadable: "text" },
  sql: ({ from }) => `
    UPDATE records SET state = @state, hash = @hash, due_at = NULL, attempts = 0, error = @error, unreadable = @unreadable
    ${from} WHERE id = @record`,
});
