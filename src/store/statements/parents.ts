import type { RecordState } from "#model";
import type { Dialect } from "../roles/access.ts";
import { statement } from "./statement.ts";

/** Children examined per step to wake them, which takes a few milliseconds. */
export const WOKEN_AT_ONCE = 200;

/** A record that is named as a parent, if the store knows it. */
export interface ParentRow {
  readonly stream: string;
  readonly key: string;
  readonly state: RecordState;
  readonly service_id: number | null;
}

/** A parent whose service id the record's projection carries. `id` and `state` are null if the store does not know the parent. */
export interface FormerParentRow {
  readonly stream: string;
  readonly key: string;
  readonly id: number | null;
  readonly state: RecordState | null;
  /** 1 if the parent waits or is claimed, and has another child that is bound. No record is its own child. */
  readonly others: number;
}

/** A child of a parent, with its number. */
export interface ChildRow {
  readonly id: number;
  readonly stream: string;
  readonly key: string;
  readonly state: RecordState;
}

export const findParent = statement<{ stream: string; key: string }, ParentRow>({
  name: "find_parent",
  takes: { stream: "text", key: "text" },
  sql: ({ isOf }) => `
    SELECT r.stream, r.key, r.state, b.service_id FROM records r LEFT JOIN bindings b ON b.record = r.id
    WHERE ${isOf("r", "@stream", "@key")}`,
});

/** The parents `p` of the child `child`, an expression. */
const formerParents = (isOf: Dialect["isOf"], child: string) => `
  SELECT p.stream, p.key, r.id, r.state, CASE WHEN r.state IN ('waiting', 'claimed') AND EXISTS (
      SELECT 1 FROM parents o JOIN records c ON c.id = o.child JOIN bindings b ON b.record = c.id
      WHERE ${isOf("o", "p.stream", "p.key")} AND o.child <> p.child AND o.child <> r.id AND c.state <> 'deleted')
    THEN 1 ELSE 0 END AS others
  FROM parents p LEFT JOIN records r ON ${isOf("r", "p.stream", "p.key")} WHERE p.child = ${child}`;

export const findFormerParents = statement<{ child: number }, FormerParentRow>({
  name: "find_former_parents",
  takes: { child: "integer" },
  sql: ({ isOf }) => formerParents(isOf, "@child"),
});

export const findFormerParentsOf = statement<{ stream: string; key: string }, FormerParentRow>({
  name: "find_former_parents_of",
  takes: { stream: "text", key: "text" },
  sql: ({ isOf }) => formerParents(isOf, `(SELECT id FROM records own WHERE ${isOf("own", "@stream", "@key")})`),
});

export const forgetParents = statement<{ child: number }>({
  name: "forget_parents",
  takes: { child: "integer" },
  sql: ({ using }) => `DELETE FROM parents ${using} WHERE child = @child`,
});

export const addParent = statement<{ child: number; stream: string; key: string }>({
  name: "add_parent",
  takes: { child: "integer", stream: "text", key: "text" },
  sql: ({ from }) => `
    INSERT INTO parents (child, stream, key) SELECT @child, @stream, @key ${from}
    WHERE NOT EXISTS (SELECT 1 FROM parents p WHERE p.child = @child AND p.stream = @stream AND p.key = @key)`,
});

/** The first children that wait for a record, from a number on. */
export const findWaiting = statement<{ stream: string; key: string; after: number }, ChildRow>({
  name: "find_waiting",
  takes: { stream: "text", key: "text", after: "integer" },
  sql: ({ isOf }) => `
    SELECT r.id, r.stream, r.key, r.state FROM waits c CROSS JOIN records r
    WHERE r.id = c.child AND ${isOf("c", "@stream", "@key")} AND c.child > @after ORDER BY c.child LIMIT ${WOKEN_AT_ONCE}`,
});

/** The first children whose projection carries the service id of a record, from a number on. */
export const findCarrying = statement<{ stream: string; key: string; after: number }, ChildRow>({
  name: "find_carrying",
  takes: { stream: "text", key: "text", after: "integer" },
  sql: ({ isOf }) => `
    SELECT r.id, r.stream, r.key, r.state FROM parents c CROSS JOIN records r
    WHERE r.id = c.child AND ${isOf("c", "@stream", "@key")} AND c.child > @after ORDER BY c.child LIMIT ${WOKEN_AT_ONCE}`,
});

export const wakeRecord = statement<{ record: number; now: number }>({
  name: "wake_record",
  takes: { record: "integer", now: "integer" },
  sql: ({ from }) => `UPDATE records SET state = 'due', due_at = @now, error = NULL ${from} WHERE id = @record`,
});

/** Makes a claimed record due when its claim ends. */
export const wakeLater = statement<{ record: number }>({
  name: "wake_later",
  takes: { record: "integer" },
  sql: ({ from }) => `UPDATE records SET again = 1 ${from} WHERE id = @record`,
});

export const forgetWaits = statement<{ child: number }>({
  name: "forget_waits",
  takes: { child: "integer" },
  sql: ({ using }) => `DELETE FROM waits ${using} WHERE child = @child`,
});

export const addWait = statement<{ child: number; stream: string; key: string }>({
  name: "add_wait",
  takes: { child: "integer", stream: "text", key: "text" },
  sql: ({ rows }) => `INSERT INTO waits (child, stream, key) ${rows("@child, @stream, @key")}`,
});
