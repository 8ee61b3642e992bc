import type { Stream } from "#mapping";
import { ParkError, type Actor, type StreamName } from "#model";
import { blindRemedy, type AdoptionPlan, type Matcher, type PlannedRecord } from "#pipeline";
import type { ActStore, MatchStore } from "#store";

/** What a first run would do with a record of the ERP, in the order in which people read it. */
export const adoptionVerdicts = ["bound", "matched", "deleted", "new", "ambiguous", "left out", "unclear"] as const;

/** Verdicts for which examples are shown; those that need a person come first. */
const SHOWN = ["ambiguous", "unclear", "deleted", "matched"] as const;
/** Examples per verdict: the whole list is in the CSV. */
export const adoptionExamples = 10;

/** An adoption plan in figures, with examples. */
export interface AdoptionReport {
  readonly stream: StreamName;
  readonly counts: Readonly<Record<PlannedRecord["verdict"], number>>;
  /** Records of the service that no row of the ERP matches. */
  readonly onlyInService: number;
  readonly examples: readonly PlannedRecord[];
  /** Match fields that no record of the service has, so that they can find nothing. */
  readonly blindFields: readonly string[];
}

export function adoptionReport({ stream, counts, orphanCount, records, blindFields }: AdoptionPlan): AdoptionReport {
  const of = (verdict: PlannedRecord["verdict"]) => records.filter((record) => record.verdict === verdict);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made of all verdicts
  const all = Object.fromEntries(
    adoptionVerdicts.map((verdict) => [verdict, counts[verdict] ?? 0]),
  ) as AdoptionReport["counts"];
  const examples = SHOWN.flatMap((verdict) => of(verdict).slice(0, adoptionExamples));
  return { stream, counts: all, onlyInService: orphanCount, examples, blindFields };
}

/**
 * Releases streams: `adopt` binds matching records and creates the rest, `create-all` creates every record.
 * @throws {ParkError} E_NOT_RESOLVABLE where the match rules cannot find anything; nothing is decided then.
 */
export async function decideAdoption(
  { store, matcher }: { readonly store: { readonly acts: ActStore } & MatchStore; readonly matcher: Matcher },
  { streams, decision }: { readonly streams: readonly Stream[]; readonly decision: "adopt" | "create-all" },
  by: Actor,
): Promise<void> {
  if (decision === "adopt") await expectFindable(matcher, streams);
  for (const { name } of streams) {
    await store.acts.save(name, { action: "release", outcome: decision }, by);
    await store.decideAdoption(name, decision);
  }
}

async function expectFindable(matcher: Matcher, streams: readonly Stream[]): Promise<void> {
  const texts: string[] = [];
  for (const stream of streams) texts.push(...blindTexts(stream.name, await matcher.blindFields(stream)));
  if (texts.length > 0) throw new ParkError("E_NOT_RESOLVABLE", `${texts.join(" ")} Nothing was decided`);
}

/** Describes match fields that no record of the service has; empty where there are none. */
export function blindTexts(stream: string, fields: readonly string[]): string[] {
  if (fields.length === 0) return [];
  return [
    `${stream}: none of the service's records has a value in ${fields.join(", ")}, so no record can be matched: ${blindRemedy(stream)}.`,
  ];
}
