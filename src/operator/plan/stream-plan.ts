import type { Stream } from "#mapping";
import { errorText, type StreamName } from "#model";
import {
  isTooMuch,
  firstMailNote,
  massHeldNote,
  knownCount,
  Tally,
  type ChangeGuardSettings,
  type PlanCounts,
  type PlannedDelivery,
  type Planner,
  type Verdict,
} from "#pipeline";
import type { NoteStore, Store } from "#store";
import { ErrorGroups, type ErrorGroup } from "../state/groups.ts";

/** Deliveries shown per verdict by default; the CSV has all of them. */
const SAMPLES = 5;
const SHOWN: ReadonlySet<Verdict> = new Set(["update", "create", "adopt", "delete", "settle"]);

/** What the next run would do with one stream. */
export interface StreamPlan extends PlanCounts {
  readonly stream: StreamName;
  /** The mapping changed since the stream's records were last delivered, so all of them are mapped again. */
  readonly isMappingChanged: boolean;
  /** Why the stream cannot be polled: what the ERP changed since then is missing in the plan. */
  readonly pollError?: string;
  /** Identifies what a person may confirm: the updates by a changed mapping, or the round of changes that the mass-change guard holds. */
  readonly plan?: string;
  /** Records that the ERP has not deleted. */
  readonly known: number;
  /** The change guard holds the stream, or the mass-change guard some of its records, until the plan is confirmed. */
  readonly isHeld: boolean;
  /** New records of a first load that would send mail, for which the mail guard holds the stream. */
  readonly mailHeld?: number;
  /** Records that the mass-change guard holds. */
  readonly massHeld?: number;
  /** The deletion guard would hold the deletions. */
  readonly areDeletionsHeld: boolean;
  /** The run would change something, in the service or in what needs a person. */
  readonly isChange: boolean;
  readonly samples: readonly PlannedDelivery[];
  /** Records that would be parked or wait, by cause. */
  readonly causes: readonly ErrorGroup[];
}

export interface StreamPlanDeps {
  readonly store: Pick<Store, "counts" | "stream"> & NoteStore;
  readonly planner: Planner;
  readonly changeGuard: ChangeGuardSettings;
  /** How many deliveries are shown per verdict. */
  readonly shown?: number | undefined;
  /** Called for every planned delivery. */
  readonly each?: (planned: PlannedDelivery) => Promise<void>;
}

/** Plans one stream, a record at a time. */
export async function planStream(
  { name, fingerprint }: Stream,
  { store, planner, changeGuard, shown = SAMPLES, each }: StreamPlanDeps,
  signal: AbortSignal,
): Promise<StreamPlan> {
  const tally = new Tally(name, fingerprint);
  const samples = new Map<Verdict, PlannedDelivery[]>();
  const causes = new ErrorGroups();
  for await (const planned of planner.plan(name, signal)) {
    const { id, verdict, error } = planned;
    tally.add(planned);
    await each?.(planned);
    const some = samples.get(verdict) ?? [];
    if (SHOWN.has(verdict) && some.length < shown) samples.set(verdict, [...some, planned]);
    if (verdict === "park" || verdict === "wait")
      causes.add({ id, state: verdict === "park" ? "parked" : "waiting", error });
  }
  const { counts } = tally;
  const known = await knownCount(store, name);
  const { error: pollError } = await store.stream(name);
  const isMappingChanged = planner.isChanged(name);
  const mail = await store.note(firstMailNote(name));
  const isMailHeld = mail?.state === "held";
  const mass = isMappingChanged ? undefined : await store.note(massHeldNote(name));
  return {
    stream: name,
    isMappingChanged,
    ...(pollError && { pollError: errorText(pollError) }),
    ...(isMappingChanged ? { plan: tally.id } : {}),
    known,
    ...(mass?.plan && { plan: mass.plan, massHeld: mass.updates }),
    ...(isMailHeld && { plan: mail.plan, mailHeld: mail.count }),
    isHeld:
      isMailHeld ||
      Boolean(mass?.plan) ||
      (isMappingChanged && isTooMuch(changeGuard, { updates: counts.updates, known })),
    areDeletionsHeld: counts.verdicts.delete > 0 && (await planner.wouldHold(name, counts.verdicts.delete)),
    isChange: tally.isChange,
    ...counts,
    samples: [...samples.values()].flat(),
    causes: causes.list(),
  };
}
