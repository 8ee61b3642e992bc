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
import { idOf, type Service, type ServiceRecord } from "#service";
import { eachRecord, isForgotten, type RecordStore, type RecordView } from "#store";
import { KeysInFlight } from "./keys-in-flight.ts";
import type { Found } from "./candidates.ts";
import type { Matcher } from "./matcher.ts";
import { Resolver, type Wanted } from "../deliver/resolver.ts";
import { stillUnbound } from "../deliver/course.ts";
import { overwritten, shownAs, shownFields, type Counterpart, type Overwrite, type Shown } from "./shown.ts";

/** What a first run would do with one record of the ERP. */
export interface PlannedRecord extends Shown {
  readonly id: RecordId;
  /** `deleted`: the ERP has deleted it; it is bound, and then removed or set as the stream says. */
  readonly verdict: "bound" | "matched" | "deleted" | "new" | "ambiguous" | "left out" | "unclear";
  /** The one record that it is, or all that it could be. */
  readonly candidates: readonly ServiceId[];
  /** The candidates as the service shows them. */
  readonly counterparts: readonly Counterpart[];
  readonly overwrites: readonly Overwrite[];
  /** Why it is unclear: what the record's own delivery would say. */
  readonly error?: ErrorFacts;
}

/** A record of the service that no record of the ERP answers to. It is left as it is. */
export interface Orphan extends Counterpart {
  readonly resource: ResourceName;
}

export interface AdoptionPlan {
  readonly stream: string;
  readonly records: readonly PlannedRecord[];
  readonly orphans: readonly Orphan[];
  /** Match fields that no record of the service carries: nothing can be found by them, and the plan proves nothing. */
  readonly blindFields: readonly string[];
}

/** A planned record before the service's side of it was read. */
interface Draft extends Omit<PlannedRecord, "counterparts" | "overwrites"> {
  readonly wanted?: Wanted;
}

/**
 * Plans what a first run would do, stream by stream, and writes nothing to the service. It reads the same match index as the
 * deliveries. Parents are planned before their children.
 */
export class AdoptionPlanner {
  readonly #store: RecordStore;
  readonly #service: Pick<Service, "list" | "lookup">;
  readonly #matcher: Matcher;
  readonly #resolver: Resolver;
  readonly #keys = new KeysInFlight();
  /** Bindings that the plans so far would make. */
  readonly #planned = new Map<string, Binding>();

  constructor(store: RecordStore, service: Pick<Service, "list" | "lookup">, matcher: Matcher) {
    this.#store = store;
    this.#service = service;
    this.#matcher = matcher;
    this.#resolver = new Resolver(
      { bindings: (ids) => this.#bindings(ids), record: (id) => store.record(id) },
      service,
    );
  }

  /** Reads the stream's resource whole and compares every staged record with it. */
  async plan(stream: Stream, signal: AbortSignal): Promise<AdoptionPlan> {
    await this.#matcher.survey(stream, signal);
    const drafts: Draft[] = [];
    for await (const view of eachRecord(this.#store, { stream: stream.name })) {
      const draft = await this.#draft(stream, view, signal);
      drafts.push(draft);
      if (draft.verdict === "matched" || draft.verdict === "deleted")
        this.#planned.set(recordName(view.id), { resource: stream.resource, serviceId: draft.candidates[0]! });
    }
    const settled = contested(drafts);
    const { shown, orphans } = await this.#serviceSide(stream, settled, signal);
    const records = settled.map(({ wanted, ...draft }): PlannedRecord => {
      const found = draft.candidates.flatMap((id) => shown.get(id) ?? []);
      const [first] = found;
      const overwrites = wanted && first && draft.verdict === "matched" ? overwritten(wanted, first.record) : [];
      return { ...draft, counterparts: found.map(({ counterpart }) => counterpart), overwrites };
    });
    return { stream: stream.name, records, orphans, blindFields: await this.#matcher.blindFields(stream) };
  }

  async #draft(stream: Stream, view: RecordView, signal: AbortSignal): Promise<Draft> {
    const { id, row, deleted, binding, state } = view;
    const isUnbound = view.decision?.kind === "unbound";
    let shown: Shown = { name: "", match: "" };
    let isGone = false;
    if (binding) return { id, ...shown, verdict: "bound", candidates: [binding.serviceId] };
    if (isForgotten(view) || (isUnbound && state === "skipped"))
      return { id, ...shown, verdict: "left out", candidates: [] };
    try {
      const mapped = await stream.map(row, deleted);
      isGone = mapped.kind === "deleted";
      if (mapped.kind === "skip" || (isGone && (state === "deleted" || stream.match.length === 0)))
        return { id, ...shown, verdict: "left out", candidates: [] };
      if (isUnbound) throw stillUnbound();
      const fields = mapped.kind === "record" ? mapped.fields : await stream.identify(row);
      const wanted = await this.#resolver.resolve(id, fields, signal);
      shown = shownAs(stream, wanted.projection);
      const found = await this.#matcher.find(stream, wanted.projection, id, signal);
      return { id, ...shown, ...this.#verdict(stream, id, wanted, found, isGone), wanted };
    } catch (thrown) {
      const error = errorFacts(thrown);
      // A child of a record that is new itself cannot be in the service yet.
      if (error.code === "E_PARENT_MISSING")
        return { id, ...shown, verdict: isGone ? "left out" : "new", candidates: [] };
      if (signal.aborted) throw thrown;
      return { id, ...shown, verdict: "unclear", candidates: [], error };
    }
  }

  #verdict(stream: Stream, id: RecordId, { projection }: Wanted, { free, owners }: Found, isGone: boolean) {
    if (free.length > 1) return { verdict: "ambiguous", candidates: free } as const;
    if (free.length === 1) return { verdict: isGone ? "deleted" : "matched", candidates: free } as const;
    if (isGone) return { verdict: "left out", candidates: [] } as const;
    const [owner] = owners;
    if (owner) throw new WaitError("E_MATCH_TAKEN", `${recordLabel(owner)} has the same natural key`);
    this.#keys.reserve(stream, projection, id);
    return { verdict: "new", candidates: [] } as const;
  }

  /** Reads how the service shows the candidates, and which of its records match no ERP record. */
  async #serviceSide(stream: Stream, drafts: readonly Draft[], signal: AbortSignal) {
    const { resource } = stream;
    const taken = new Set<ServiceId>();
    const wanted = new Set<ServiceId>();
    for (const { verdict, candidates } of drafts)
      for (const serviceId of candidates) {
        wanted.add(serviceId);
        if (verdict !== "ambiguous") taken.add(serviceId);
      }
    const shown = new Map<ServiceId, { counterpart: Counterpart; record: ServiceRecord }>();
    const orphans: Orphan[] = [];
    for await (const page of this.#service.list(resource, { fields: shownFields(stream) }, signal))
      for (const record of page) {
        const serviceId = idOf(record);
        if (serviceId === undefined) continue;
        const counterpart = { serviceId, ...shownAs(stream, record) };
        if (wanted.has(serviceId)) shown.set(serviceId, { counterpart, record });
        if (!taken.has(serviceId)) orphans.push({ resource, ...counterpart });
      }
    return { shown, orphans };
  }

  async #bindings(ids: readonly RecordId[]): Promise<ReadonlyMap<string, Binding>> {
    const bound = new Map(await this.#store.bindings(ids));
    for (const id of ids) {
      const planned = this.#planned.get(recordName(id));
      if (planned && !bound.has(recordName(id))) bound.set(recordName(id), planned);
    }
    return bound;
  }
}

/** Two records of the ERP that match one record of the service: a person has to say whose it is. */
function contested(drafts: readonly Draft[]): Draft[] {
  const matched = drafts.filter(({ verdict }) => verdict === "matched");
  const claims = Map.groupBy(matched, ({ candidates }) => candidates[0]!);
  return drafts.map((draft) => {
    const all = draft.verdict === "matched" ? claims.get(draft.candidates[0]!)! : [];
    if (all.length < 2) return draft;
    const labels = all.map(({ id }) => recordLabel(id));
    const error = errorFacts(new WaitError("E_MATCH_TAKEN", `${labels.join(" and ")} match it`));
    return { ...draft, verdict: "ambiguous", error };
  });
}
