import type { Stream } from "#mapping";
import {
  errorFacts,
  recordLabel,
  recordName,
  RetryError,
  StopError,
  WaitError,
  type Binding,
  type RecordId,
  type StreamName,
} from "#model";
import type { IntakeStore, MatchStore, NoteStore, RecordStore, RecordView } from "#store";
import { decide } from "../decide/decide.ts";
import { ParentMissing, type KnownParents } from "../wanted/resolver.ts";
import { KeysInFlight } from "../match/keys-in-flight.ts";
import { draftOf } from "./action-draft.ts";
import { stateAfter, type Draft } from "./drafts.ts";
import { PendingIds } from "./pending-ids.ts";
import { PlannedKnowledge, type NameLookup } from "./planned-knowledge.ts";
import { KnownFates, type PlannedState, type KnownState, type PlannedDelivery } from "./planned-delivery.ts";

export interface RecordPlannerDeps {
  readonly store: RecordStore & NoteStore & Pick<IntakeStore, "stream"> & Pick<MatchStore, "matches" | "matchKeys">;
  readonly bindings: KnownParents["bindings"];
  readonly names: NameLookup;
  readonly streams: ReadonlyMap<StreamName, Stream>;
  /** Whether the run delivers the record. */
  readonly isDue: (view: RecordView) => boolean;
}

/** How many generations of parents are planned for one record. Parents beyond that are assumed to be created. */
const DEEPEST = 200;

/**
 * Predicts what a delivery does with a record: the same decision, with only the store. Two things that only the service knows stay open:
 * which candidates still exist, and what it refuses.
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
  async plan(view: RecordView, stream: Stream, signal: AbortSignal): Promise<PlannedState> {
    const name = recordName(view.id);
    this.#planning.add(name);
    const known = { isDelivered: view.applied !== undefined, ...(view.isGuarded && { isGuarded: view.isGuarded }) };
    try {
      const { applied, state, isBound, ...draft } = await this.#draft(view, stream, signal);
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

  async #draft(view: RecordView, stream: Stream, signal: AbortSignal): Promise<Draft> {
    const { store, names, bindings } = this.#deps;
    const ids = new PendingIds();
    const others = {
      binding: (id: RecordId) => this.#futureBinding(id, ids, signal),
      isDeleted: async (id: RecordId) => (await this.#fate(id, signal))?.state === "deleted",
      record: (id: RecordId) => this.#afterwards(id, signal),
    };
    const knowledge = new PlannedKnowledge({ store, names, bindings, keys: this.#keys, others }, ids);
    const action = await decide(view, stream, knowledge, signal);
    return draftOf(action, { view, stream, knowledge, ids, signal });
  }

  async #futureBinding(id: RecordId, ids: PendingIds, signal: AbortSignal): Promise<Binding | undefined> {
    const fate = await this.#fate(id, signal);
    const resource = this.#deps.streams.get(id.stream)?.resource;
    if (!fate || resource === undefined) return undefined;
    if (fate.isBound) return { resource, serviceId: fate.serviceId! };
    const isComing = fate.verdict === "create" || fate.verdict === "settle";
    return isComing ? { resource, serviceId: ids.idOf({ newIdOf: recordLabel(id) }) } : undefined;
  }

  /** Reads a record in its state after the run. */
  async #afterwards(id: RecordId, signal: AbortSignal): Promise<RecordView | undefined> {
    const view = await this.#deps.store.record(id);
    const stream = this.#deps.streams.get(id.stream);
    if (!view || !stream || !this.#deps.isDue(view) || this.#planning.has(recordName(id))) return view;
    const { state, applied } = await this.plan(view, stream, signal);
    return { ...view, state, applied };
  }

  /** Returns the fate of a record that another one refers to; undefined if it is not delivered, or waits for the other one. */
  async #fate(id: RecordId, signal: AbortSignal): Promise<KnownState | undefined> {
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
  #remembered({ id, binding }: RecordView, fate: PlannedState): PlannedState {
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

function knownFate({ state, isBound, planned: { verdict, serviceId, error } }: PlannedState): KnownState {
  return { state, isBound, verdict, serviceId, error };
}
