import { isHanded, type ReturnKind, type ReturnState } from "#model";
import type { ReturnStream } from "#mapping";
import type { StoredReturn } from "#store";

/** What is known about a subject when it is looked at. */
export interface KnownSubject {
  readonly stream: Pick<ReturnStream, "kind" | "corrections">;
  /** Nothing that was final before is returned. */
  readonly beginAt: number;
  readonly latest: StoredReturn | undefined;
  /**
   * The newest version that the ERP has, or may have: see {@link baseNumber}. Its hash is empty where another store wrote it: what it says is
   * unknown here.
   */
  readonly base: StoredReturn | undefined;
  /** The highest version in the inbox; undefined if it has none, as far as can be seen. */
  readonly highest: number | undefined;
}

/** A version to be written down, without its content. */
export interface NextVersion {
  readonly kind: ReturnKind;
  readonly version: number;
  readonly replaces: number | undefined;
}

export type ReturnDecision =
  | { readonly action: "nothing" }
  /** The newest version, which the ERP does not have, no longer says anything new. */
  | { readonly action: "withdraw" }
  | { readonly action: "next"; readonly next: NextVersion; readonly as: "prepared" | "seen" | "held" };

const NOTHING: ReturnDecision = { action: "nothing" };
/** States of a version that waits, and that the ERP does not have. */
const WAITING: readonly ReturnState[] = ["held", "blocked"];

/** The version that the ERP has, or may have: the latest, or the one that it was to replace. Undefined if there is none. */
export function baseNumber(latest: StoredReturn | undefined): number | undefined {
  if (latest === undefined) return undefined;
  return isHanded(latest.state) ? latest.version : latest.replaces;
}

/**
 * Whether the inbox has versions that this store does not know: it was put back, or is new. Then the content is compared with the newest of them by
 * handing it over as that version: the same is there already, and another is a conflict, which a person decides.
 */
function isInboxAhead({ latest, highest = 0 }: KnownSubject): boolean {
  // A blocked version was never handed over by this store.
  const known = latest === undefined ? 0 : latest.state === "blocked" ? latest.version - 1 : latest.version;
  return highest > known;
}

/** The version that a subject gets next, if it is to be returned. */
export function nextVersion(known: KnownSubject): NextVersion {
  const { stream, latest, base, highest } = known;
  const kind = (replaces: number | undefined): ReturnKind => {
    if (stream.kind !== "reports") return stream.kind;
    return replaces === undefined || base?.kind === "cancelled" ? "fact" : "correction";
  };
  if (latest === undefined || isInboxAhead(known)) {
    const version = highest ?? 1;
    const replaces = version > 1 ? version - 1 : undefined;
    return { kind: kind(replaces), version, replaces };
  }
  const replaces = base?.version;
  // A blocked version was never written anywhere: it is made good.
  const version = latest.state === "blocked" ? latest.version : latest.version + 1;
  return { kind: kind(replaces), version, replaces };
}

/** Whether it became final before the lane was switched on, and the ERP has nothing of it: what is older is never returned. */
export function isOld({ stream, latest, base, beginAt }: KnownSubject, at: number): boolean {
  return stream.kind === "reports" && at < beginAt && base === undefined && latest?.state !== "held";
}

/** Decides about a subject that is to be returned. `hash` is that of its present content, `at` when it became final. */
export function decideWanted(known: KnownSubject, hash: string, at: number): ReturnDecision {
  const { stream, latest, base, beginAt } = known;
  if (isOld(known, at)) return latest?.state === "blocked" ? { action: "withdraw" } : NOTHING;
  if (stream.kind === "status" && latest === undefined && at < beginAt)
    return { action: "next", next: { kind: "status", version: 0, replaces: undefined }, as: "seen" };
  if (isInboxAhead(known)) return { action: "next", next: nextVersion(known), as: "prepared" };
  if (latest?.hash === hash && latest.state !== "blocked") return NOTHING;
  if (base !== undefined && base.hash === hash && base.kind !== "cancelled")
    return latest !== undefined && WAITING.includes(latest.state) ? { action: "withdraw" } : NOTHING;
  return { action: "next", next: nextVersion(known), as: mustWait(known) ? "held" : "prepared" };
}

/**
 * Whether what followed may be gone from the service: an approval that is taken back removes the invoice, and the next one makes another, without a
 * number. Following looks before it writes, so asking once too often, as where the two clocks differ, changes nothing.
 */
export function mayHaveLostWhatFollowed({ base }: KnownSubject, decision: ReturnDecision, at: number): boolean {
  return decision.action !== "next" && base?.following === "done" && at > base.preparedAt;
}

/** Decides about a subject that is no longer to be returned, or that is gone. */
export function decideUnwanted(known: KnownSubject): ReturnDecision {
  const { stream, latest, base } = known;
  if (latest === undefined) return NOTHING;
  const cancelled = (as: "held" | "prepared"): ReturnDecision => ({
    action: "next",
    next: { ...nextVersion(known), kind: "cancelled" },
    as,
  });
  if (stream.kind === "reports" && isInboxAhead(known)) return cancelled("prepared");
  if (stream.kind !== "reports" || base === undefined || base.kind === "cancelled" || base.state === "refused")
    return WAITING.includes(latest.state) ? { action: "withdraw" } : NOTHING;
  if (latest.kind === "cancelled" && latest.state !== "blocked") return NOTHING;
  return cancelled(mustWait(known) ? "held" : "prepared");
}

/**
 * Whether a person confirms it: a change of what the ERP has, by the stream's policy, a change of what another store wrote, and anything about a
 * subject that a person withdrew. What the ERP refused, it has not booked: its correction flows.
 */
function mustWait({ stream, latest, base }: KnownSubject): boolean {
  if (stream.kind !== "reports") return false;
  if (latest?.state === "withdrawn" && latest.hash !== "") return true;
  if (base === undefined || base.state === "refused") return false;
  return base.hash === "" || stream.corrections === "hold";
}
