import type { Stream } from "#mapping";
import {
  counted,
  errorFacts,
  ParkError,
  recordName,
  type Binding,
  type Projection,
  type RecordId,
  type ServiceId,
} from "#model";
import type { Service } from "#service";
import type { MatchStore, RecordView } from "#store";
import type { Knowledge, KnownRecord } from "../decide/knowledge.ts";
import { childrenFirst, STILL_BELOW } from "../decide/children.ts";
import { Resolver, type KnownParents, type Wanted } from "../wanted/resolver.ts";
import { lookUp, type Found } from "../match/candidates.ts";
import type { KeysInFlight } from "../match/keys-in-flight.ts";
import { expectFree, standingChildren } from "../counterpart/merges.ts";
import type { PendingIds } from "./pending-ids.ts";
import { StoreKnowledge, type ReadStore } from "../decide/store-knowledge.ts";

/** Returns the id of a name in the service, or undefined if the names have not been read. Throws like {@link Service.lookup}. */
export type NameLookup = (...of: Parameters<Service["lookup"]>) => Promise<ServiceId | undefined>;

export interface PlannedKnowledgeDeps {
  readonly store: ReadStore & Pick<MatchStore, "matches" | "matchKeys">;
  readonly bindings: KnownParents["bindings"];
  readonly names: NameLookup;
  /** Natural keys of the records that the plan creates. */
  readonly keys: KeysInFlight;
  /** What the plan has decided about other records. */
  readonly others: {
    /** The binding that the run will make; undefined if it makes none. */
    binding(id: RecordId): Promise<Binding | undefined>;
    isDeleted(id: RecordId): Promise<boolean>;
    /** The record in its state after the run. */
    record(id: RecordId): Promise<RecordView | undefined>;
  };
}

/** What a plan knows about one record: the store, and what the plan has decided about others. */
export class PlannedKnowledge extends StoreKnowledge implements Knowledge<RecordView> {
  readonly resolver: Resolver;
  readonly #deps: PlannedKnowledgeDeps;
  /** Records of the service that are deleted before. */
  readonly #gone = new Set<ServiceId>();

  constructor(deps: PlannedKnowledgeDeps, ids: PendingIds) {
    super(deps.store);
    this.#deps = deps;
    const lookup: Service["lookup"] = async (resource, by, value, signal) =>
      (await deps.names(resource, by, value, signal)) ?? ids.idOf({ idOf: resource, by, value });
    const bindings = (of: readonly RecordId[]) => this.#bindings(of);
    this.resolver = new Resolver({ bindings, record: (id) => deps.others.record(id) }, { lookup });
  }

  /** Tells that the record of the service is deleted first. */
  deletes(serviceId: ServiceId): void {
    this.#gone.add(serviceId);
  }

  record(id: RecordId): Promise<KnownRecord | undefined> {
    return this.#deps.others.record(id);
  }

  /** A record of the service that is known to be merged stands for the one that is left. */
  async match({ id }: RecordView, { resource, match }: Stream, { projection }: Wanted): Promise<Found> {
    const { store } = this.#deps;
    const found = await lookUp(store, resource, match, projection, id, this.#gone);
    const free = new Set<ServiceId>();
    for (const serviceId of found.free) free.add((await this.mergedTo({ resource, serviceId })) ?? serviceId);
    const [first, ...others] = free;
    if (first !== undefined && others.length === 0 && !found.free.includes(first))
      await expectFree(store, id, { resource, serviceId: found.free[0]! }, first);
    return { ...found, free: [...free] };
  }

  /** @throws {ParkError} E_MATCH_TAKEN because the record that was planned first will be in the service by then. */
  noteCreate({ id }: RecordView, stream: Stream, projection: Projection): void {
    try {
      this.#deps.keys.reserve(stream, projection, id);
    } catch (thrown) {
      const { code, message, details } = errorFacts(thrown);
      throw new ParkError(code, message, { details });
    }
  }

  async expectChildless({ id }: RecordView): Promise<void> {
    const { store, others } = this.#deps;
    const standing: RecordId[] = [];
    for (const child of await standingChildren(store, id)) if (!(await others.isDeleted(child))) standing.push(child);
    if (standing.length > 0) throw childrenFirst(standing, `${counted(standing.length, "record")} ${STILL_BELOW}`);
  }

  async #bindings(of: readonly RecordId[]): ReturnType<KnownParents["bindings"]> {
    const bound = new Map(await this.#deps.bindings(of));
    for (const id of of) {
      if (bound.has(recordName(id))) continue;
      const binding = await this.#deps.others.binding(id);
      if (binding) bound.set(recordName(id), binding);
    }
    return bound;
  }
}
