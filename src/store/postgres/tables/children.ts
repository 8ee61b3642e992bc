import { statesMovedTo } from "../../transitions.ts";
import { isIn, isRecord } from "../sql.ts";

/** Bound, undeleted children of a parent. No record is its own child. */
export const boundChildren = (stream: string, key: string) => `
  FROM parents p JOIN records r ON r.id = p.child JOIN bindings b ON b.record = r.id
  WHERE ${isRecord("p", stream, key)} AND r.state <> 'deleted' AND NOT (r.stream = p.stream AND r.key = p.key)`;

/** Children whose projection carries the parent's service id, or should, in the states that a rebound parent makes due. */
export const rebound = (stream: string, key: string) => `
  FROM parents p JOIN records r ON r.id = p.child
  WHERE ${isRecord("p", stream, key)} AND ${isIn("r", statesMovedTo("due", "parentRebound"))}`;
