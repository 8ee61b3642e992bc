import type { StreamName } from "#model";
import type { AdoptionPlan, PlannedRecord } from "#pipeline";

/** What a first run would do with a record of the ERP, in the order in which people read it. */
export const adoptionVerdicts = ["bound", "matched", "deleted", "new", "ambiguous", "left out", "unclear"] as const;

/** Verdicts of which a person wants to see examples, the ones that need a person first. */
const SHOWN = ["ambiguous", "unclear", "deleted", "matched"] as const;
/** Examples per verdict: the whole list is in the CSV. */
const EXAMPLES = 10;

/** An adoption plan in figures, with examples. */
export interface AdoptionReport {
  readonly stream: StreamName;
  readonly counts: Readonly<Record<PlannedRecord["verdict"], number>>;
  /** Records of the service that no row of the ERP matches. */
  readonly onlyInService: number;
  readonly examples: readonly PlannedRecord[];
  /** Match fields that no record of the service carries: nothing can be found by them. */
  readonly blindFields: readonly string[];
}

export function adoptionReport({ stream, records, orphans, blindFields }: AdoptionPlan): AdoptionReport {
  const of = (verdict: PlannedRecord["verdict"]) => records.filter((record) => record.verdict === verdict);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made of all verdicts
  const counts = Object.fromEntries(
    adoptionVerdicts.map((verdict) => [verdict, of(verdict).length]),
  ) as AdoptionReport["counts"];
  const examples = SHOWN.flatMap((verdict) => of(verdict).slice(0, EXAMPLES));
  return { stream, counts, onlyInService: orphans.length, examples, blindFields };
}
