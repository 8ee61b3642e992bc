import type { Deletion, Stream } from "#mapping";
import {
  counted,
  errorFacts,
  ParkError,
  recordLabel,
  recordName,
  RetryError,
  StopError,
  WaitError,
  type Binding,
  type Projection,
  type RecordId,
  type ServiceId,
  type StreamName,
} from "#model";
import type { Service } from "#service";
import type { IntakeStore, MatchStore, NoteStore, RecordStore, RecordView } from "#store";
import { courseOf, expectSameResource, type Deliverable } from "../deliver/course.ts";
import { looksFirst } from "../deliver/create.ts";
import { DeletedRecords } from "../deliver/deletions/deleted-records.ts";
import { childrenFirst, isInterrupted, leavesService, STILL_BELOW } from "../deliver/deletions/removal.ts";
import { edited } from "../deliver/difference.ts";
import { editedAsSeen } from "../deliver/empty-fields.ts";
import { ParentMissing, Resolver, type Wanted } from "../deliver/resolver.ts";
import { expectUntaken } from "../match/candidates.ts";
import { absentReason } from "../match/left-out.ts";
import { expectFree, knownMerge, standingChildren } from "../match/merges.ts";
import { mergedRemoval } from "./merged-removal.ts";
import { plannedMatch, theOne } from "./planned-match.ts";
import { KeysInFlight } from "../match/keys-in-flight.ts";
import {
  allFields,
  COMPARED,
  edit,
  FILLED,
  FOUND_DELETED,
  LEFT,
  stateAfter,
  withItself,
  type Draft,
} from "./drafts.ts";
import { PendingIds } from "./pending-ids.ts";
import { KnownFates, type Fate, type KnownFate, type PlannedDelivery } from "./planned-delivery.ts";

/** Returns the id of a name in the service, or undefined if the names have not been read. Throws like {@link Service.lookup}. */
export type KnownNames = (...of: Parameters<Service["lookup"]>) => Promise<ServiceId | undefined>;

export interface RecordPlannerDeps {
  readonly store: RecordStore & NoteStore & Pick<IntakeStore, "cursor"> & Pick<MatchStore, "matches" | "matchKeys">;
  readonly bindings: RecordStore["bindings"];
  readonly names: KnownNames;
  readonly streams: ReadonlyMap<StreamName, Stream>;
  /** Whether the run delivers the record. */
  readonly isDue: (view: RecordView) => boolean;
}

/** A record that is being planned, with the ids that only the run will know. */
interface PlanJob {
  readonly view: RecordView;
  readonly stream: Stream;
  readonly ids: PendingIds;
  readonly signal: AbortSignal;
}

/** How many generations of parents are planned for one record. Parents beyond that are assumed to be created. */
const DEEPEST = 200;

/**
 * Predicts what a delivery does with a record, using the delivery's functions and only the store. Two things that only the service
 * knows stay open: which candidates still exist, and what it refuses.
 */
export class RecordPlanner {
  readonly #deps: RecordPlannerDeps;
  readonly #fates = new KnownFates();
  readonly #keys = new KeysInFlight();
  /** Records that are being planned. A record that refers to one of them waits for it in a circle. */
  readonly #planning = new Set<string>();

  constructor(deps: RecordPlannerDeps) {
    this.#deps = deps;
  }

  /**
   * Returns the fate of a record that the run delivers. Plan parents before their children: if two records compete, the first one
   * wins.
   */
  async plan(view: RecordView, stream: Stream, signal: AbortSignal): Promise<Fate> {
    const name = recordName(view.id);
    this.#planning.add(name);
    const ids = new PendingIds();
    const known = { isDelivered: view.applied !== undefined, ...(view.isGuarded && { isGuarded: view.isGuarded }) };
    try {
      const { applied, state, isBound, ...draft } = await this.#draft({ view, stream, ids, signal });
      const planned: PlannedDelivery = { id: view.id, fields: [], ...draft, ...known };
      const isFound = isBound ?? draft.verdict === "adopt";
      return this.#remembered(view, { planned, state: state ?? stateAfter[draft.verdict], applied, isBound: isFound });
    } catch (thrown) {
      if (signal.aborted || thrown instanceof StopError || thrown instanceof RetryError) throw thrown;
      const error = errorFacts(thrown);
      const verdict = thrown instanceof WaitError ? "wait" : "park";
      const reason = thrown instanceof ParentMissing ? await this.#whyMissing(thrown.missing) : undefined;
      const planned: PlannedDelivery = { id: view.id, verdict, fields: [], error, reason, ...known };
      return this.#remembered(view, { planned, state: stateAfter[verdict], applied: view.applied, isBound: false });
    } finally {
      this.#planning.delete(name);
    }
  }

  async #draft(job: PlanJob): Promise<Draft> {
    const { view, stream, ids, signal } = job;
    expectSameResource(view, stream);
    if (view.intent && view.decision?.kind !== "create")
      return { verdict: "settle", reason: "a create was started; svcsync first finds out its result" };
    const resolver = this.#resolver(ids, signal);
    const course = await courseOf(view, stream, resolver, signal);
    switch (course.kind) {
      case "skip":
        return { verdict: "skip", reason: course.reason, ...(view.applied && { applied: view.applied }) };
      case "remove":
        return course.isSought
          ? this.#soughtRemoval(job, course.deletion, resolver)
          : this.#removal(job, course.deletion, resolver);
      case "write":
        return this.#write(job, course.wanted);
    }
  }

  async #write(job: PlanJob, wanted: Wanted): Promise<Draft> {
    const { view, ids } = job;
    const { binding, applied, inFlight } = view;
    if (isInterrupted(view)) {
      const { serviceId } = view.binding;
      const created = await this.#creation({ ...job, view: { ...view, decision: undefined } }, wanted, serviceId);
      return { ...created, deletes: serviceId, reason: "its deletion was started; svcsync finishes it first" };
    }
    if (!binding) return this.#creation(job, wanted);
    const mergedTo = await knownMerge(this.#deps.store, binding);
    if (mergedTo !== undefined) {
      await expectFree(this.#deps.store, view.id, binding, mergedTo);
      return this.#found(job, wanted, mergedTo);
    }
    if (applied) {
      const draft = edit("update", editedAsSeen(applied, inFlight?.fields, wanted), ids);
      const isFilled = draft.fields?.some(({ field }) => wanted.emptyOnly.has(field));
      return { serviceId: binding.serviceId, ...draft, ...(isFilled && { reason: FILLED }) };
    }
    return this.#found(job, wanted, binding.serviceId);
  }

  /** Plans a record that is compared with what the service's record holds. */
  #found({ ids }: PlanJob, { projection }: Wanted, serviceId: ServiceId): Draft {
    const fields = allFields(projection, ids);
    return { verdict: "adopt", serviceId, fields, applied: projection, reason: COMPARED };
  }

  /** @param deleted the service record that is deleted first. */
  async #creation(
    { view, stream, ids, signal }: PlanJob,
    wanted: Wanted,
    ...deleted: readonly ServiceId[]
  ): Promise<Draft> {
    const applied = await withItself(view, stream, wanted, ids);
    const draft = { fields: allFields(applied, ids), applied };
    const isNever = stream.create === "never";
    if (!isNever && !looksFirst(view, stream)) return { verdict: "create", ...draft };
    const found = await plannedMatch(this.#deps.store, stream, wanted.projection, view.id, deleted);
    const serviceId = theOne(stream, found);
    if (serviceId !== undefined) return { verdict: "adopt", serviceId, ...draft, reason: COMPARED };
    if (isNever) return { verdict: "skip", reason: absentReason(stream, wanted.projection, found) };
    await expectUntaken(this.#afterwards(signal), view.id, stream.resource, wanted.projection, found);
    this.#reserve(stream, wanted.projection, view.id);
    return { verdict: "create", ...draft };
  }

  /** @throws {ParkError} E_MATCH_TAKEN because the record that was planned first will be in the service by then. */
  #reserve(stream: Stream, projection: Projection, self: RecordId): void {
    try {
      this.#keys.reserve(stream, projection, self);
    } catch (thrown) {
      const { code, message, details } = errorFacts(thrown);
      throw new ParkError(code, message, { details });
    }
  }

  async #removal({ view, ids, signal }: PlanJob, deletion: Deletion, resolver: Resolver): Promise<Draft> {
    if (leavesService(view, deletion)) return LEFT;
    const serviceId = view.binding?.serviceId;
    const set = () => resolver.resolve(view.id, "fields" in deletion ? deletion.fields : [], signal);
    const fields = async () => allFields((await set()).projection, ids);
    const merged = view.binding && (await mergedRemoval(this.#deps.store, view.id, view.binding, deletion, fields));
    if (merged) return merged;
    if (deletion.policy === "set") {
      const wanted = await set();
      const draft = edit("delete", edited(view.applied ?? {}, view.inFlight?.fields, wanted), ids);
      return { serviceId, ...draft, state: "deleted" };
    }
    const standing: RecordId[] = [];
    for (const child of await standingChildren(this.#deps.store, view.id))
      if ((await this.#fate(child, signal))?.state !== "deleted") standing.push(child);
    if (standing.length === 0) return { verdict: "delete", serviceId };
    throw childrenFirst(standing, `${counted(standing.length, "record")} ${STILL_BELOW}`);
  }

  /** Plans a deletion of an unbound record: the match of its natural key is bound, then removed. */
  async #soughtRemoval(job: PlanJob, deletion: Deletion, resolver: Resolver): Promise<Draft> {
    const { view, stream, ids, signal } = job;
    const { store } = this.#deps;
    let serviceId: ServiceId | undefined;
    const adopt = async (_record: Deliverable, _stream: Stream, { projection }: Wanted) => {
      serviceId = theOne(stream, await plannedMatch(store, stream, projection, view.id));
      return serviceId !== undefined;
    };
    const isFound = await new DeletedRecords({ store, resolver, adopt }).bind(view, stream, signal);
    if (!isFound) return LEFT;
    const verdict = deletion.policy === "ignore" ? "adopt" : "delete";
    const set = deletion.policy === "set" ? (await resolver.resolve(view.id, deletion.fields, signal)).projection : {};
    const isBound = deletion.policy !== "delete";
    return { verdict, serviceId, isBound, fields: allFields(set, ids), state: "deleted", reason: FOUND_DELETED };
  }

  #resolver(ids: PendingIds, signal: AbortSignal): Resolver {
    const bindings = async (records: readonly RecordId[]) => {
      const bound = new Map(await this.#deps.bindings(records));
      for (const id of records) {
        if (bound.has(recordName(id))) continue;
        const binding = await this.#futureBinding(id, ids, signal);
        if (binding) bound.set(recordName(id), binding);
      }
      return bound;
    };
    const lookup: Service["lookup"] = async (resource, by, value, signal) =>
      (await this.#deps.names(resource, by, value, signal)) ?? ids.idOf({ idOf: resource, by, value });
    return new Resolver({ bindings, ...this.#afterwards(signal) }, { lookup });
  }

  async #futureBinding(id: RecordId, ids: PendingIds, signal: AbortSignal): Promise<Binding | undefined> {
    const fate = await this.#fate(id, signal);
    const resource = this.#deps.streams.get(id.stream)?.resource;
    if (!fate || resource === undefined) return undefined;
    if (fate.isBound) return { resource, serviceId: fate.serviceId! };
    const isComing = fate.verdict === "create" || fate.verdict === "settle";
    return isComing ? { resource, serviceId: ids.idOf({ newIdOf: recordLabel(id) }) } : undefined;
  }

  /** Reads records in their state after the run. */
  #afterwards(signal: AbortSignal): Pick<RecordStore, "record"> {
    const record = async (id: RecordId): Promise<RecordView | undefined> => {
      const view = await this.#deps.store.record(id);
      const stream = this.#deps.streams.get(id.stream);
      if (!view || !stream || !this.#deps.isDue(view) || this.#planning.has(recordName(id))) return view;
      const { state, applied } = await this.plan(view, stream, signal);
      return { ...view, state, applied };
    };
    return { record };
  }

  /** Returns the fate of a record that another one refers to; undefined if it is not delivered, or waits for the other one. */
  async #fate(id: RecordId, signal: AbortSignal): Promise<KnownFate | undefined> {
    if (this.#fates.has(id)) return this.#fates.get(id);
    if (this.#planning.has(recordName(id))) return undefined;
    if (this.#planning.size > DEEPEST) return { verdict: "create", state: "applied", isBound: false };
    const view = await this.#deps.store.record(id);
    const stream = this.#deps.streams.get(id.stream);
    const isDue = view && stream && this.#deps.isDue(view);
    const fate = isDue ? knownFate(await this.plan(view, stream, signal)) : undefined;
    this.#fates.set(id, fate);
    return fate;
  }

  /** Remembers the fate of an unbound record. For a bound one, its binding tells others what they need. */
  #remembered({ id, binding }: RecordView, fate: Fate): Fate {
    if (!binding) this.#fates.set(id, knownFate(fate));
    return fate;
  }

  /** Explains why the parents will not arrive. */
  async #whyMissing(missing: readonly RecordId[]): Promise<string> {
    const reasons: string[] = [];
    for (const id of missing) reasons.push(`${recordLabel(id)} ${await this.#whyNot(id)}`);
    return reasons.join("; ");
  }

  async #whyNot(id: RecordId): Promise<string> {
    if (this.#planning.has(recordName(id))) return "waits for it in turn";
    const fate = this.#fates.get(id);
    if (fate?.error) return `would ${fate.verdict} (${fate.error.code})`;
    const view = await this.#deps.store.record(id);
    if (!view) return "has not been returned by a poll";
    const state = fate?.state ?? view.state;
    if (state === "deleted") return "is deleted in the ERP";
    if (state === "skipped") return "is left out";
    return view.error ? `is ${state} (${view.error.code})` : `is ${state}`;
  }
}

function knownFate({ state, isBound, planned: { verdict, serviceId, error } }: Fate): KnownFate {
  return { state, isBound, verdict, serviceId, error };
}
