import type { Stream } from "#mapping";
import type { Clock, RecordId, StreamName } from "#model";
import {
  eachPage,
  type IntakeStore,
  type MatchStore,
  type NoteStore,
  type OperatorStore,
  type RecordStore,
  type RecordView,
} from "#store";
import { wouldHoldDeletions, type DeleteGuardSettings } from "../holds/delete-guard.ts";
import { PageAhead } from "./page-ahead.ts";
import { withMerges } from "../counterpart/merges.ts";
import type { NameLookup } from "./planned-knowledge.ts";
import { RecordPlanner } from "./record-planner.ts";
import type { PlannedDelivery } from "./planned-delivery.ts";

/** How many records are read and mapped together. */
const PAGE = 100;

export interface PlannerDeps {
  readonly store: RecordStore & OperatorStore & NoteStore & IntakeStore & Pick<MatchStore, "matches" | "matchKeys">;
  /** Looks up names of the service: in the store only, unless the plan may ask the service. */
  readonly names: NameLookup;
  readonly clock: Clock;
  readonly guard: DeleteGuardSettings;
}

/**
 * Predicts what the next run writes, and writes nothing. Reads records page by page and keeps none, so that memory stays flat.
 * Yields to the event loop between pages.
 */
export class Planner {
  readonly #deps: PlannerDeps;
  readonly #streams: ReadonlyMap<StreamName, Stream>;
  readonly #changed: ReadonlySet<StreamName>;
  readonly #page: PageAhead;
  readonly #records: RecordPlanner;

  private constructor(deps: PlannerDeps, streams: readonly Stream[], changed: ReadonlySet<StreamName>) {
    this.#deps = deps;
    this.#page = new PageAhead(deps.store);
    this.#streams = new Map(streams.map((stream) => [stream.name, this.#page.streamOf(stream)]));
    this.#changed = changed;
    this.#records = new RecordPlanner({
      ...deps,
      streams: this.#streams,
      bindings: async (ids) => withMerges(deps.store, ids, await this.#page.bindings(ids)),
      isDue: (view) => this.#isDue(view),
    });
  }

  /** Opens a planner. `streams` are all streams of the sync file: any may be planned, and records of one refer to records of others. */
  static async open(deps: PlannerDeps, streams: readonly Stream[]): Promise<Planner> {
    const changed = new Set<StreamName>();
    for (const { name, fingerprint } of streams) {
      const { fingerprint: known } = await deps.store.stream(name);
      if (known !== undefined && known !== fingerprint) changed.add(name);
    }
    return new Planner(deps, streams, changed);
  }

  /** Whether the stream's records were last delivered with another mapping, so that all of them are mapped again. */
  isChanged(stream: StreamName): boolean {
    return this.#changed.has(stream);
  }

  /**
   * Yields the plan of each record that the next run delivers: first in the order of their keys, then those that become due because
   * a parent is bound.
   */
  async *plan(name: StreamName, signal: AbortSignal): AsyncGenerator<PlannedDelivery> {
    const stream = this.#streams.get(name)!;
    for await (const view of this.#due(stream, {}, signal)) yield this.#planned(view, stream, signal);
    if (this.isChanged(name)) return;
    for (const parent of stream.parents) {
      const above = this.#streams.get(parent);
      if (!above) continue;
      for await (const view of this.#due(above, { unbound: true }, signal))
        for (const child of await this.#woken(view, above, name, signal)) yield this.#planned(child, stream, signal);
    }
  }

  /** Returns the stream's records that become due when the parent is bound; none if it will not be bound. */
  async #woken(parent: RecordView, above: Stream, name: StreamName, signal: AbortSignal): Promise<RecordView[]> {
    const children = (await this.#deps.store.children(parent.id, "dependent")).filter(({ stream }) => stream === name);
    if (children.length === 0) return [];
    const { verdict, serviceId } = await this.#planned(parent, above, signal);
    if (verdict !== "create" && serviceId === undefined) return [];
    const views = await Promise.all(children.map((id) => this.#deps.store.record(id)));
    return views.filter((view) => view !== undefined);
  }

  async *#due(stream: Stream, query: { readonly unbound?: true }, signal: AbortSignal): AsyncGenerator<RecordView> {
    const states = this.isChanged(stream.name) ? {} : ({ states: ["due", "claimed", "waiting"] } as const);
    for await (const page of eachPage(this.#deps.store, { stream: stream.name, ...states, ...query }, PAGE)) {
      const due = page.filter((view) => this.#isDue(view));
      await this.#page.read(due, stream);
      for (const view of due) {
        signal.throwIfAborted();
        yield view;
      }
    }
  }

  async #planned(view: RecordView, stream: Stream, signal: AbortSignal): Promise<PlannedDelivery> {
    return (await this.#records.plan(view, stream, signal)).planned;
  }

  /** Plans one record; undefined if the store does not have it or the next run leaves it alone. */
  async planOne(id: RecordId, signal: AbortSignal): Promise<PlannedDelivery | undefined> {
    const view = await this.#deps.store.record(id);
    const stream = this.#streams.get(id.stream);
    if (!view || !stream || !this.#isDue(view)) return undefined;
    return this.#planned(view, stream, signal);
  }

  /**
   * Plans a record as {@link plan} did earlier: also one that is applied, because the delivery of its parent would wake it. Undefined if the
   * run leaves it alone.
   */
  async planAgain(view: RecordView, signal: AbortSignal): Promise<PlannedDelivery | undefined> {
    const stream = this.#streams.get(view.id.stream);
    if (!stream || !(this.#isDue(view) || view.state === "applied")) return undefined;
    return this.#planned(view, stream, signal);
  }

  /** Whether the guard would hold this many deletions of the stream. */
  wouldHold(stream: StreamName, deletions: number): Promise<boolean> {
    return wouldHoldDeletions(this.#deps, stream, deletions);
  }

  #isDue({ id, state }: RecordView): boolean {
    if (this.#changed.has(id.stream)) return state !== "deleted";
    return state === "due" || state === "claimed" || state === "waiting";
  }
}
