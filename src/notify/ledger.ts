import { hasGrown } from "#operator";
import type { Notice, NoticeEvent, Severity } from "#store";
import type { Condition } from "./condition.ts";

/** How long a condition must be over before it is reported as resolved, in milliseconds: one that flickers counts as one. */
const CALM_MS = 2 * 60_000;
/** Parked records are reported once no more have come for this many milliseconds … */
const GATHER_MS = 60_000;
/** … or at the latest after this many. Two messages about them are at least this far apart. */
const GATHER_MAX_MS = 10 * 60_000;

/** Kinds that come in bursts, whose new conditions are reported together. */
const gathered: ReadonlySet<string> = new Set(["parked", "uncertain"]);

export interface NoticePolicy {
  /** How soon a lasting condition is reported again, in milliseconds; 0: never. */
  readonly remindMs: number;
}

/** The changes of one comparison: notices to store, notices to forget, events to send. */
export interface LedgerStep {
  readonly changed: readonly Notice[];
  readonly ended: readonly string[];
  readonly events: readonly NoticeEvent[];
}

/**
 * Compares current conditions with what was reported. Yields one event per change of state, however often it runs. Pure: the same arguments
 * give the same step, so a step that was not stored is computed again.
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

/** Moves times in the future back to now. They exist after the clock was set back, and would suppress messages until then. */
function notAhead({ firstSeenAt, grewAt, goneAt, told: last, ...facts }: Notice, now: number): Notice {
  return {
    ...facts,
    firstSeenAt: Math.min(firstSeenAt, now),
    grewAt: Math.min(grewAt, now),
    ...(goneAt === undefined ? {} : { goneAt: Math.min(goneAt, now) }),
    ...(last === undefined ? {} : { told: { ...last, at: Math.min(last.at, now) } }),
  };
}

/** The notice, updated by the current condition. */
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

/** Whether to report a burst now, as a whole: it has calmed down, or has lasted long enough. */
function gatheringEnded(seen: readonly Seen[], now: number): boolean {
  const ofStorm = seen.filter(({ notice }) => gathered.has(notice.kind));
  // A snoozed cause may stay unreported for weeks, so nothing waits for it.
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
