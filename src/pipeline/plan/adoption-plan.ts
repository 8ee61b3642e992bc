import {
  errorFacts,
  recordLabel,
  recordName,
  WaitError,
  type Binding,
  type ErrorFacts,
  type RecordId,
  type ResourceName,
  type ServiceId,
} from "#model";
import type { Stream } from "#mapping";
import { serviceIdOf, type Service, type ServiceRecord } from "#service";
import { eachRecord, leftOut, type RecordView } from "#store";
import type { Action } from "../decide/action.ts";
import { decide } from "../decide/decide.ts";
import type { Wanted } from "../wanted/resolver.ts";
import { KeysInFlight } from "../match/keys-in-flight.ts";
import type { Matcher } from "../match/matcher.ts";
import { overwritten, shownAs, shownFields, type Counterpart, type Overwrite, type Shown } from "../match/shown.ts";
import { SurveyedKnowledge, type SurveyedKnowledgeDeps } from "./surveyed-knowledge.ts";

/** How many of the records that match the same service record are named. */
const RIVALS_TOLD = 5;

/** What a first run would do with one record of the ERP. */
export interface PlannedRecord extends Shown {
  readonly id: RecordId;
  /** `deleted`: the ERP deleted the record. It is bound, and then removed or set as the stream says. */
  readonly verdict: "bound" | "matched" | "deleted" | "new" | "ambiguous" | "left out" | "unclear";
  /** The one service record that it is, or all that it could be. */
  readonly candidates: readonly ServiceId[];
  /** The candidates as the service shows them. */
  readonly counterparts: readonly Counterpart[];
  readonly overwrites: readonly Overwrite[];
  /** Why the record is unclear, ambiguous, or left out by `create: never`: what its own delivery would report. */
  readonly error?: ErrorFacts;
}

/** A service record that no ERP record matches. It is left alone. */
export interface Orphan extends Counterpart {
  readonly resource: ResourceName;
}

export interface AdoptionPlan {
  readonly stream: string;
  /** `never`: records that the service does not have are left out instead of being created. */
  readonly create: Stream["create"];
  /** How many records have each verdict. Verdicts without records are absent. */
  readonly counts: Readonly<Partial<Record<PlannedRecord["verdict"], number>>>;
  readonly orphanCount: number;
  /** All records, or some of each verdict. */
  readonly records: readonly PlannedRecord[];
  /** All orphans, or some. */
  readonly orphans: readonly Orphan[];
  /** Match fields that have no value in any service record. Nothing can be found by them, so the plan proves nothing. */
  readonly blindFields: readonly string[];
}

/** A planned record before its counterparts in the service are read. */
interface Draft extends Omit<PlannedRecord, "counterparts" | "overwrites"> {
  readonly wanted?: Wanted;
}

/** What a plan has found. To save memory, it keeps only the matched service id of most ERP records. */
class Findings {
  /** The records that are shown. */
  readonly drafts: Draft[] = [];
  readonly counts: Partial<Record<Draft["verdict"], number>> = {};
  /** Service records that several ERP records match. A person has to decide whose they are. */
  readonly contested = new Map<ServiceId, RecordId[]>();
  readonly #most: number;
  readonly #matched = new Map<ServiceId, RecordId>();
  readonly #taken = new Set<ServiceId>();

  /** Shows at most `most` records of each verdict. */
  constructor(most: number) {
    this.#most = most;
  }

  add(draft: Draft): void {
    const { id, verdict, candidates } = draft;
    if (this.#count(verdict, 1) <= this.#most) this.drafts.push(draft);
    const [serviceId] = candidates;
    if (serviceId === undefined || verdict === "ambiguous") return;
    const rival = verdict === "matched" ? this.#matched.get(serviceId) : undefined;
    if (rival !== undefined) this.#contest(serviceId, rival, id);
    else if (verdict === "matched") this.#matched.set(serviceId, id);
    else this.#taken.add(serviceId);
  }

  /** Whether the service record belongs to one ERP record. */
  isTaken(serviceId: ServiceId): boolean {
    return this.#taken.has(serviceId) || (this.#matched.has(serviceId) && !this.contested.has(serviceId));
  }

  #contest(serviceId: ServiceId, rival: RecordId, id: RecordId): void {
    const known = this.contested.get(serviceId);
    const more = known ? 1 : 2;
    if (known) known.push(id);
    else this.contested.set(serviceId, [rival, id]);
    this.#count("matched", -more);
    this.#count("ambiguous", more);
  }

  #count(verdict: Draft["verdict"], by: number): number {
    return (this.counts[verdict] = (this.counts[verdict] ?? 0) + by);
  }
}

type AdoptionStore = SurveyedKnowledgeDeps["store"];

/**
 * Plans what a first run would do, stream by stream, and writes nothing to the service. It reads the same match index as the
 * deliveries. Plan parents before their children.
 */
export class AdoptionPlanner {
  readonly #store: AdoptionStore;
  readonly #service: Pick<Service, "list" | "lookup">;
  readonly #matcher: Matcher;
  readonly #known: SurveyedKnowledgeDeps;
  /** Bindings that the plans so far would make. */
  readonly #planned = new Map<string, Binding>();

  constructor(store: AdoptionStore, service: Pick<Service, "list" | "lookup">, matcher: Matcher) {
    this.#store = store;
    this.#service = service;
    this.#matcher = matcher;
    this.#known = { store, service, matcher, keys: new KeysInFlight(), planned: this.#planned };
  }

  /**
   * Reads the stream's resource whole and compares every staged record with it. Counts all records, but shows at most `most` of
   * each verdict: showing a million would take gigabytes.
   */
  async plan(stream: Stream, signal: AbortSignal, most = Number.POSITIVE_INFINITY): Promise<AdoptionPlan> {
    await this.#matcher.survey(stream, signal);
    const findings = new Findings(most);
    for await (const view of eachRecord(this.#store, { stream: stream.name })) {
      const draft = await this.#draft(stream, view, signal);
      findings.add(draft);
      if (draft.verdict === "matched" || draft.verdict === "deleted")
        this.#planned.set(recordName(view.id), { resource: stream.resource, serviceId: draft.candidates[0]! });
    }
    const drafts = [...findings.drafts, ...(await this.#unshown(stream, findings, most, signal))];
    const settled = drafts.map((draft) => settledOf(draft, findings.contested));
    const { shown, orphans, orphanCount } = await this.#serviceSide(stream, settled, findings, most, signal);
    const records = settled.map(({ wanted, ...draft }): PlannedRecord => {
      const found = draft.candidates.flatMap((id) => shown.get(id) ?? []);
      const [first] = found;
      const overwrites = wanted && first && draft.verdict === "matched" ? overwritten(wanted, first.record) : [];
      return { ...draft, counterparts: found.map(({ counterpart }) => counterpart), overwrites };
    });
    const { counts } = findings;
    const blindFields = await this.#matcher.blindFields(stream);
    return { stream: stream.name, create: stream.create, counts, orphanCount, records, orphans, blindFields };
  }

  /** Drafts contested records that were over the limit when they were found. A person has to see them. */
  async #unshown(stream: Stream, { drafts, contested }: Findings, most: number, signal: AbortSignal): Promise<Draft[]> {
    const shown = new Set(contested.size === 0 ? [] : drafts.map(({ id }) => id.key));
    const unshown: Draft[] = [];
    for (const id of [...contested.values()].flat().slice(0, most)) {
      const view = shown.has(id.key) ? undefined : await this.#store.record(id);
      if (view) unshown.push(await this.#draft(stream, view, signal));
    }
    return unshown;
  }

  async #draft(stream: Stream, view: RecordView, signal: AbortSignal): Promise<Draft> {
    const { id, row, deleted, binding, state } = view;
    const unshown = { id, name: "", match: "" };
    if (binding) return { ...unshown, verdict: "bound", candidates: [binding.serviceId] };
    // Its deletion was delivered before, or a person has ended its binding and left it out: no delivery looks for it.
    if (state === "deleted" || (view.decision?.kind === "unbound" && state === "skipped"))
      return { ...unshown, verdict: "left out", candidates: [] };
    const knowledge = new SurveyedKnowledge(this.#known);
    const shown = () => ({ ...unshown, ...(knowledge.wanted && shownAs(stream, knowledge.wanted.projection)) });
    try {
      // Compared as if no create was begun: the delivery finds out its result.
      const action = await decide({ ...view, intent: undefined }, stream, knowledge, signal);
      return { ...shown(), ...foundOf(action), ...(knowledge.wanted && { wanted: knowledge.wanted }) };
    } catch (thrown) {
      if (signal.aborted) throw thrown;
      const error = errorFacts(thrown);
      if (error.code === "E_MATCH_AMBIGUOUS") return { ...shown(), ...ambiguousOf(error) };
      if (error.code !== "E_PARENT_MISSING") return { ...shown(), verdict: "unclear", candidates: [], error };
      // The parent is new itself, so the service cannot have the child yet.
      const isNew = stream.create !== "never" && (await stream.map(row, deleted)).kind === "record";
      return { ...unshown, verdict: isNew ? "new" : "left out", candidates: [] };
    }
  }

  /** Reads how the service shows the candidates, and which service records match no ERP record. */
  async #serviceSide(stream: Stream, drafts: readonly Draft[], found: Findings, most: number, signal: AbortSignal) {
    const { resource } = stream;
    const wanted = new Set(drafts.flatMap(({ candidates }) => candidates));
    const shown = new Map<ServiceId, { counterpart: Counterpart; record: ServiceRecord }>();
    const orphans: Orphan[] = [];
    let orphanCount = 0;
    for await (const page of this.#service.list(resource, { fields: shownFields(stream) }, signal))
      for (const record of page) {
        const serviceId = serviceIdOf(record);
        if (serviceId === undefined) continue;
        const counterpart = { serviceId, ...shownAs(stream, record) };
        if (wanted.has(serviceId)) shown.set(serviceId, { counterpart, record });
        if (!found.isTaken(serviceId) && ++orphanCount <= most) orphans.push({ resource, ...counterpart });
      }
    return { shown, orphans, orphanCount };
  }
}

/** What a decision about an unbound record says about the service. */
function foundOf(action: Action): Pick<Draft, "verdict" | "candidates" | "error"> {
  if (action.kind === "create") return { verdict: "new", candidates: [] };
  if (action.kind === "skip" && action.code)
    return { verdict: "left out", candidates: [], error: leftOut(action.reason, action.code) };
  if (action.kind !== "adopt") return { verdict: "left out", candidates: [] };
  return { verdict: action.deletion ? "deleted" : "matched", candidates: [action.serviceId] };
}

/** Several candidates speak for themselves. */
function ambiguousOf(error: ErrorFacts): Pick<Draft, "verdict" | "candidates" | "error"> {
  const { candidates: found, field } = error.details;
  const candidates = Array.isArray(found) ? found.filter((each) => typeof each === "number") : [];
  return { verdict: "ambiguous", candidates, ...(field !== undefined && { error }) };
}

/** Returns the draft, marked as ambiguous if other records match the same service record. */
function settledOf(draft: Draft, contested: Findings["contested"]): Draft {
  const all = draft.verdict === "matched" ? contested.get(draft.candidates[0]!) : undefined;
  if (all === undefined) return draft;
  const labels = all.slice(0, RIVALS_TOLD).map(recordLabel);
  const others = all.length > labels.length ? [`${all.length - labels.length} others`] : [];
  const error = errorFacts(new WaitError("E_MATCH_TAKEN", `${[...labels, ...others].join(" and ")} match it`));
  return { ...draft, verdict: "ambiguous", error };
}
