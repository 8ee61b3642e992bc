import { HANDED_STATES, RETURN_STATES, type ReturnState } from "#model";
import type { ReturnQuery } from "../contract/returns.ts";
import { mayReturn, RETURN_MOVES, type ReturnEvent } from "../return-transitions.ts";

/** `@of` is the stream. */
export const IS_ONE = "stream = @of AND subject = @subject AND version = @version";
/**
 * Condition: the subject has this version only as a blocked one, none that is newer, and none behind the replaced one that the ERP has, or will: a
 * person may have sent it meanwhile.
 */
export const IS_NEXT = `NOT EXISTS (
  SELECT 1 FROM returns n WHERE n.stream = @of AND n.subject = @subject
    AND (n.version > @version OR n.version = @version AND NOT ${may("make", "n.state")}
      OR n.version < @version AND n.version > coalesce(@replaces, -1) AND n.state IN (${quoted(HANDED_STATES)})))`;
/** Condition: the subject has no version from this one on. */
const IS_BEHIND_ALL =
  "NOT EXISTS (SELECT 1 FROM returns n WHERE n.stream = @of AND n.subject = @subject AND n.version >= @version)";
const OLD = "SELECT 1 FROM returns o WHERE o.stream = @of AND o.subject = @subject AND o.version = @old";
/** Condition, behind {@link SUPERSEDE} in a step: it withdrew the old one. */
export const IS_SUPERSEDING = `${IS_BEHIND_ALL} AND EXISTS (${OLD} AND o.state = 'withdrawn' AND o.error = @reason)`;
/** Condition: the ERP refused the version that is replaced, and those behind it are withdrawn: see `openRefusals`. */
export const IS_REFUSED = `EXISTS (
    SELECT 1 FROM returns f WHERE f.stream = @of AND f.subject = @subject AND f.version = @replaces AND f.state = 'refused')
  AND NOT EXISTS (SELECT 1 FROM returns n WHERE n.stream = @of AND n.subject = @subject
    AND n.version > @replaces AND (n.version >= @version OR n.state <> 'withdrawn'))`;

export const PASS = `
  UPDATE returns SET ${movedBy("pass")}
  WHERE stream = @of AND subject = @subject AND version < @version AND ${may("pass")} AND ${IS_NEXT}`;

/** Withdraws the old one, if it is still to be handed over, and all others that wait before this version. */
export const SUPERSEDE = `
  UPDATE returns SET ${movedBy("supersede")}, error = CASE WHEN version = @old THEN @reason ELSE error END
  WHERE stream = @of AND subject = @subject AND version < @version AND ${may("supersede")}
    AND ${IS_BEHIND_ALL} AND EXISTS (${OLD} AND o.state = 'prepared')`;

export const prepareIf = (condition: string) => `
  INSERT INTO returns (stream, subject, version, kind, service_id, replaces, hash, content, state, prepared_at, attempts, due_at, error, head)
  SELECT @of, @subject, @version, @kind, @service_id, @replaces, @hash, @content, @state, @now, @attempts, @due_at, @error, @head
  WHERE ${condition}
  ON CONFLICT (stream, subject, version) DO UPDATE SET
    kind = excluded.kind, service_id = excluded.service_id, replaces = excluded.replaces, hash = excluded.hash,
    content = excluded.content, state = excluded.state, prepared_at = excluded.prepared_at, due_at = excluded.due_at, error = excluded.error, head = excluded.head,
    attempts = CASE WHEN excluded.attempts = 0 THEN 0 ELSE returns.attempts + 1 END
  RETURNING version`;

export const follow = (kind: "followed" | "unfollowed") => {
  const [from, to] = kind === "followed" ? ["due", "done"] : ["done", "due"];
  return `UPDATE returns SET following = '${to}', due_at = @now, attempts = 0, error = NULL
    WHERE ${IS_ONE} AND following = '${from}' RETURNING version`;
};

/** Condition: a content that is needed no more: a newer version was handed over, it never was, or nothing is ever compared with it. */
const IS_SETTLED = `(state IN ('seen', 'withdrawn')
  OR state = 'accepted' AND following IS DISTINCT FROM 'due' AND kind IN ('status', 'state', 'cancelled')
  OR state IN ('accepted', 'delivered', 'refused') AND following IS DISTINCT FROM 'due' AND EXISTS (
    SELECT 1 FROM returns n WHERE n.stream = r.stream AND n.subject = r.subject AND n.version > r.version
      AND n.state IN ('delivered', 'accepted')))`;

const TIMES = ["due_at", "prepared_at", "delivered_at"];

/** Sets back some times that lie in the future. */
export const SET_BACK = `
  UPDATE returns SET ${TIMES.map((time) => `${time} = CASE WHEN ${time} > @now THEN @now ELSE ${time} END`).join(", ")}
  WHERE (stream, subject, version) IN (
    SELECT stream, subject, version FROM returns WHERE ${TIMES.map((time) => `${time} > @now`).join(" OR ")} LIMIT @limit)
  RETURNING version`;

export const FORGET = `
  UPDATE returns SET ${movedBy("forget")}, content = NULL, message = NULL, error = NULL
  WHERE stream = @of AND subject = @subject AND ${may("forget")}`;

/** Returns looked at per step, of which those that are needed no more are emptied. */
const PRUNED_AT_ONCE = 400;
const PLACE = "(stream, subject, version)";
/** The last return of the part that follows a place; no row if fewer are left. */
export const END_OF_PART = `
  SELECT stream, subject, version FROM returns WHERE ${PLACE} > (@of, @subject, @version)
  ORDER BY stream, subject, version LIMIT 1 OFFSET ${PRUNED_AT_ONCE - 1}`;

/** Empties the contents of a part that are needed no more. */
export const prunePart = (isLast: boolean) => `
  UPDATE returns AS r SET content = NULL
  WHERE ${PLACE} > (@of, @subject, @version) ${isLast ? "" : `AND ${PLACE} <= (@toOf, @toSubject, @toVersion)`}
    AND prepared_at < @before AND content IS NOT NULL AND ${IS_SETTLED}
  RETURNING version`;

/** Condition: the event may happen to a return in this state. */
export function may(event: ReturnEvent, state = "state"): string {
  const from = RETURN_STATES.filter((each) => mayReturn(each, event));
  return `${state} IN (${quoted(from)})`;
}

function quoted(states: readonly ReturnState[]): string {
  return states.map((each) => `'${each}'`).join(", ");
}

export function movedBy(event: ReturnEvent): string {
  const moves = RETURN_STATES.flatMap((from) => {
    const to = RETURN_MOVES[from][event];
    return to === undefined ? [] : [`WHEN '${from}' THEN '${to}'`];
  });
  return `state = CASE state ${moves.join(" ")} END`;
}

/** Condition: no version other than a withdrawn one has replaced the row of `table`. A refused one of these is open. */
export const isUnreplaced = (table: string) => `NOT EXISTS (
  SELECT 1 FROM returns n WHERE n.stream = ${table}.stream AND n.subject = ${table}.subject
    AND n.version > ${table}.version AND n.state <> 'withdrawn')`;

/** The order of {@link ReturnStore.find} within a stream. */
export const orderOf = ({ dueBy }: ReturnQuery) =>
  dueBy === undefined ? "subject, version" : "due_at, subject, version";

/** A part of a query that one range of an index answers: one stream and one state, or what follows. */
export function partOf(
  query: ReturnQuery,
  { stream, at }: { stream: string; at: number },
  state: ReturnState | undefined,
): string[] {
  const { after, dueBy } = query;
  if (after !== undefined && stream < after.stream) return [];
  const conditions = [
    `stream = @stream${at}`,
    state === undefined ? "following = 'due'" : `state = '${state}'`,
    ...(dueBy === undefined ? [] : ["due_at <= @dueBy"]),
    ...(query.unreplaced ? [isUnreplaced("returns")] : []),
    ...(after?.stream === stream ? [isAfter(query)] : []),
  ];
  const rows = `SELECT * FROM returns WHERE ${conditions.join(" AND ")} ORDER BY ${orderOf(query)} LIMIT @limit`;
  return [`SELECT * FROM (${rows}) AS part`];
}

const isAfter = ({ dueBy }: ReturnQuery) =>
  dueBy === undefined
    ? "(subject, version) > (@afterSubject, @afterVersion)"
    : "(due_at, subject, version) > (@afterDue, @afterSubject, @afterVersion)";
