import { hasGrown } from "#operator";
import type { Notice, NoticeEvent, Severity } from "#store";
import type { Condition } from "./condition.ts";

/** A problem that ended is reported as resolved after this long: one that flickers counts as one. */
const CALM_MS = 2 * 60_000;
/** Parked records are reported once no more came for this long … */
const GATHER_MS = 60_000;
/** … or after this long at the latest, also after the last message about them. */
const GATHER_MAX_MS = 10 * 60_000;

/** Kinds that come in storms: all that is new of them is one digest. */
const gathered: ReadonlySet<string> = new Set(["parked", "uncertain"]);

export interface NoticePolicy {
  /** A condition that stays is reported again after this long, in milliseconds; 0 for never. */
  readonly remindMs: number;
}

/** What one look changes: what to store, what to forget, what to tell. */
export interface LedgerStep {
  readonly changed: readonly Notice[];
  readonly ended: readonly string[];
  readonly events: readonly NoticeEvent[];
}

/**
 * Compares what is true with what was told: one event per change of state, however often it is looked at. Pure: the same
 * arguments give the same step, and a step that was not stored is made again.
 */
export function noticeStep(
  known: readonly Notice[],
  conditions: readonly Condition[],
  now: number,
  policy: NoticePolicy,
): LedgerStep {
  const stored = new Map(known.map((notice) => [notice.id, notice]));
  const before = new Map(known.map((notice) => [notice.id, notAhead(notice, now)]));
  const current = new Map(conditions.map((condition) => [condition.id, condition]));
  const seen = [...current.values()].map((condition) => ({ condition, notice: seenNow(before, condition, now) }));
  const isGathered = gatheringEnded(seen, now);
  const changed: Notice[] = [];
  const events: NoticeEvent[] = [];
  for (const { condition, notice } of seen) {
    const change = changeOf(condition, notice, now, policy, isGathered);
    const next = change === undefined ? notice : told(notice, now);
    if (change !== undefined) events.push({ change, at: now, notice: next });
    if (JSON.stringify(next) !== JSON.stringify(stored.get(notice.id))) changed.push(next);
  }
  const ended: string[] = [];
  for (const notice of before.values()) {
    if (current.has(notice.id)) continue;
    const goneAt = notice.goneAt ?? now;
    if (goneAt !== stored.get(notice.id)?.goneAt) changed.push({ ...notice, goneAt });
    if (now - goneAt < CALM_MS) continue;
    ended.push(notice.id);
    if (notice.told !== undefined) events.push({ change: "resolved", at: goneAt, notice: { ...notice, goneAt } });
  }
  return { changed: changed.filter(({ id }) => !ended.includes(id)), ended, events };
}

/** A notice without moments that are still to come: the clock was set back since, and they would keep silent until then. */
function notAhead({ firstSeenAt, grewAt, goneAt, told: last, ...facts }: Notice, now: number): Notice {
  return {
    ...facts,
    firstSeenAt: Math.min(firstSeenAt, now),
    grewAt: Math.min(grewAt, now),
    ...(goneAt === undefined ? {} : { goneAt: Math.min(goneAt, now) }),
    ...(last === undefined ? {} : { told: { ...last, at: Math.min(last.at, now) } }),
  };
}

/** The notice with what is true of it now. */
function seenNow(before: ReadonlyMap<string, Notice>, condition: Condition, now: number): Notice {
  const { patienceMs: _, isSnoozed: __, ...facts } = condition;
  const known = before.get(condition.id);
  const grew = (condition.count ?? 0) > (known?.count ?? 0);
  return {
    ...facts,
    firstSeenAt: known?.firstSeenAt ?? now,
    grewAt: known === undefined || grew ? now : known.grewAt,
    ...(known?.told === undefined ? {} : { told: known.told }),
  };
}

function changeOf(
  { patienceMs, isSnoozed }: Condition,
  notice: Notice,
  now: number,
  { remindMs }: NoticePolicy,
  isGathered: boolean,
): NoticeEvent["change"] | undefined {
  if (isSnoozed) return undefined;
  const { told: last } = notice;
  if (last === undefined) {
    if (gathered.has(notice.kind)) return isGathered ? "begun" : undefined;
    return now - notice.firstSeenAt >= patienceMs ? "begun" : undefined;
  }
  const isWorse = rank(notice.severity) > rank(last.severity);
  const isMore = hasGrown(notice.count ?? 0, last.count ?? Number.POSITIVE_INFINITY);
  if (isWorse || (isMore && now - last.at >= GATHER_MAX_MS)) return "grown";
  return remindMs > 0 && now - last.at >= remindMs ? "reminder" : undefined;
}

interface Seen {
  readonly condition: Condition;
  readonly notice: Notice;
}

/** A burst is reported as a whole: when it has calmed down, or when it has lasted long enough. */
function gatheringEnded(seen: readonly Seen[], now: number): boolean {
  const ofStorm = seen.filter(({ notice }) => gathered.has(notice.kind));
  // What is snoozed may stay untold for weeks: nothing waits for it.
  const untold = ofStorm.flatMap(({ condition, notice }) =>
    notice.told === undefined && !condition.isSnoozed ? [notice] : [],
  );
  if (untold.length === 0) return false;
  const lastTold = Math.max(...ofStorm.map(({ notice }) => notice.told?.at ?? Number.NEGATIVE_INFINITY));
  const isCalm = untold.every(({ grewAt }) => now - grewAt >= GATHER_MS);
  const isOverdue = untold.some(({ firstSeenAt }) => now - firstSeenAt >= GATHER_MAX_MS);
  return isOverdue || (isCalm && now - lastTold >= GATHER_MAX_MS);
}

function told(notice: Notice, at: number): Notice {
  const { count, severity } = notice;
  return { ...notice, told: { at, times: (notice.told?.times ?? 0) + 1, count, severity } };
}

const severities: readonly Severity[] = ["note", "warning", "problem"];

/** The worse of two. */
export function worse(one: Severity, other: Severity): Severity {
  return rank(other) > rank(one) ? other : one;
}

/** Higher is worse. */
export function rank(severity: Severity): number {
  return severities.indexOf(severity);
}
