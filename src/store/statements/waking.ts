import { WAKING, type WokenChildren } from "../waking.ts";
import { WOKEN_AT_ONCE, type ChildRow } from "./parents.ts";
import { statement } from "./statement.ts";

/** A child that is still to be woken, with its parent and the parent's note. If no child is left, its columns are null. */
export type RemainingRow = { readonly [Column in keyof ChildRow]: ChildRow[Column] | null } & {
  readonly note: string;
  readonly parent: number | null;
  readonly parent_stream: string | null;
  readonly parent_key: string | null;
};

/** The next children of the first parent that has a note. Without an end, SQLite would read and sort all that are left. */
const findRemaining = (children: WokenChildren) =>
  statement<object, RemainingRow>({
    name: `find_remaining_${children}`,
    takes: {},
    sql: ({ isOf }) => `
      SELECT n.name AS note, p.id AS parent, p.stream AS parent_stream, p.key AS parent_key, r.id, r.stream, r.key, r.state
      FROM (SELECT name, value FROM notes WHERE name > '${WAKING[children]}' AND name < '${WAKING[children]}:' ORDER BY name LIMIT 1) n
      LEFT JOIN records p ON p.id = CAST(substr(n.name, ${WAKING[children].length + 1}) AS bigint)
      LEFT JOIN ${children} c ON ${isOf("c", "p.stream", "p.key")} AND c.child > CAST(n.value AS bigint)
        AND c.child <= coalesce((SELECT o.child FROM ${children} o WHERE ${isOf("o", "p.stream", "p.key")}
          AND o.child > CAST(n.value AS bigint) ORDER BY o.child LIMIT 1 OFFSET ${WOKEN_AT_ONCE - 1}), ${Number.MAX_SAFE_INTEGER})
      LEFT JOIN records r ON r.id = c.child
      ORDER BY c.child LIMIT ${WOKEN_AT_ONCE}`,
  });

export const findRemainingWaits = findRemaining("waits");
export const findRemainingParents = findRemaining("parents");
