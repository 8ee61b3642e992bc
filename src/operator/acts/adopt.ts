import type { Stream } from "#mapping";
import { ParkError, type Actor, type StreamName } from "#model";
import { adoptionHold, blindRemedy, type AdoptionPlan, type Matcher, type PlannedRecord } from "#pipeline";
import type { ActStore, MatchStore } from "#store";
import { z } from "zod";
import { defineAct } from "./act.ts";
import { knownStream } from "./known-record.ts";

export const adoptAct = defineAct({
  name: "adopt",
  target: "stream",
  needs: "systems",
  help: "Release a stream that waits for a decision about existing records",
  input: { decision: z.enum(["adopt", "create-all"], "adopt or create-all").default("adopt") },
  inputHelp: "`decision`: adopt (the default) or create-all",
  isFinal: true,
  audit: "release",
  wakes: "adoption",
  async run({ store, streams, matcher }, { target, input: { decision } }, by) {
    const stream = knownStream(streams, target);
    if ((await adoptionHold.find(store, target, store.clock.now())) === undefined)
      throw new ParkError("E_NOT_RESOLVABLE", `${target} does not wait for a decision about existing records`);
    await decideAdoption({ store, matcher }, { streams: [stream], decision }, by);
  },
  page: "/adoption",
  command: "adopt --confirm",
});

/** What a first run would do with a record of the ERP, in the order in which people read it. */
export const adoptionVerdicts = ["bound", "matched", "deleted", "new", "ambiguous", "left out", "unclear"] as const;

export const verdictMeanings: Readonly<Record<PlannedRecord["verdict"] | "only in the service", string>> = {
  bound: "already linked",
  matched: "one record of the service has this natural key: bound",
  deleted: "matched, and deleted in the ERP: bound, then removed or set as its stream says",
  new: "no record of the service has this key: created",
  ambiguous: "several records of the service have this key: parked for a person",
  "left out": "by a rule, by create: never, or gone in the ERP: not created",
  unclear: "could not be compared: parked or waiting",
  "only in the service": "no row of the ERP matches it: never touched",
};

/** Verdicts for which examples are shown; those that need a person come first. */
const SHOWN = ["ambiguous", "unclear", "deleted", "matched"] as const;
/** Examples per verdict: the whole list is in the CSV. */
export const adoptionExamples = 10;

/** What is said about match fields without a value depends on whether the stream creates records. */
type BlindStream = Pick<AdoptionReport, "stream" | "create" | "blindFields">;

/** An adoption plan in figures, with examples. */
export interface AdoptionReport {
  readonly stream: StreamName;
  /** `never`: the stream creates no records. */
  readonly create: Stream["create"];
  readonly counts: Readonly<Record<PlannedRecord["verdict"], number>>;
  /** Records of the service that no row of the ERP matches. */
  readonly onlyInService: number;
  readonly examples: readonly PlannedRecord[];
  /** Match fields that no record of the service has, so that they can find nothing. */
  readonly blindFields: readonly string[];
}

export function adoptionReport({
  stream,
  create,
  counts,
  orphanCount,
  records,
  blindFields,
}: AdoptionPlan): AdoptionReport {
  const of = (verdict: PlannedRecord["verdict"]) => records.filter((record) => record.verdict === verdict);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made of all verdicts
  const all = Object.fromEntries(
    adoptionVerdicts.map((verdict) => [verdict, counts[verdict] ?? 0]),
  ) as AdoptionReport["counts"];
  const examples = SHOWN.flatMap((verdict) => of(verdict).slice(0, adoptionExamples));
  return { stream, create, counts: all, onlyInService: orphanCount, examples, blindFields };
}

/**
 * Releases streams: `adopt` binds matching records and creates the rest, `create-all` creates every record.
 * @throws {ParkError} E_NOT_RESOLVABLE where the match rules cannot find anything, and for `create-all` of a stream that creates none;
 * nothing is decided then.
 */
export async function decideAdoption(
  {
    store,
    matcher,
  }: { readonly store: { readonly acts: ActStore } & MatchStore; readonly matcher: Pick<Matcher, "blindFields"> },
  { streams, decision }: { readonly streams: readonly Stream[]; readonly decision: "adopt" | "create-all" },
  by: Actor,
): Promise<void> {
  if (decision === "adopt") await expectFindable(matcher, streams);
  else expectCreated(streams);
  for (const { name } of streams) {
    await store.acts.save(name, { action: "release", outcome: decision }, by);
    await store.decideAdoption(name, decision);
  }
}

async function expectFindable(matcher: Pick<Matcher, "blindFields">, streams: readonly Stream[]): Promise<void> {
  const texts: string[] = [];
  // Where nothing is created, nothing can be created twice.
  for (const stream of streams.filter(({ create }) => create === "always"))
    texts.push(...blindTexts({ ...stream, stream: stream.name, blindFields: await matcher.blindFields(stream) }));
  if (texts.length > 0) throw new ParkError("E_NOT_RESOLVABLE", `${texts.join(" ")} Nothing was decided`);
}

function expectCreated(streams: readonly Stream[]): void {
  const names = streams.flatMap(({ name, create }) => (create === "never" ? [name] : []));
  if (names.length === 0) return;
  const text = `${names.join(", ")} has create: never in the sync file, so svcsync creates no record there: "svcsync adopt ${names.join(" ")} --confirm" binds those that the service has`;
  throw new ParkError("E_NOT_RESOLVABLE", `${text}. Nothing was decided`);
}

/** Describes match fields that no record of the service has; empty where there are none. */
export function blindTexts({ stream, create, blindFields }: BlindStream): string[] {
  if (blindFields.length === 0) return [];
  return [
    `${stream}: none of the service's records has a value in ${blindFields.join(", ")}, so no record can be matched: ${blindRemedy(stream, create)}.`,
  ];
}
