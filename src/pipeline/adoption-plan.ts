import {
  errorFacts,
  recordName,
  type Binding,
  type ErrorFacts,
  type RecordId,
  type ResourceName,
  type ServiceId,
} from "#model";
import type { Stream } from "#mapping";
import type { Service, ServiceRecord } from "#service";
import type { Store } from "#store";
import { naturalKey, ruleName } from "./natural-key.ts";
import { Resolver } from "./resolver.ts";

/** Records read from the store at once. */
const PAGE = 500;

/** What a first run would do with one record of the ERP. */
export interface PlannedRecord {
  readonly id: RecordId;
  readonly verdict: "bound" | "matched" | "new" | "ambiguous" | "left out" | "unclear";
  /** The one record that it is, or all that it could be. */
  readonly candidates: readonly ServiceId[];
  /** Why it is unclear: what the record's own delivery would say. */
  readonly error?: ErrorFacts;
}

/** A record of the service that no record of the ERP answers to. It is left as it is. */
export interface Orphan {
  readonly resource: ResourceName;
  readonly serviceId: ServiceId;
  readonly label: string;
}

export interface AdoptionPlan {
  readonly stream: string;
  readonly records: readonly PlannedRecord[];
  readonly orphans: readonly Orphan[];
}

/** Says what a first run would do, stream by stream, and writes nothing. Parents are planned before their children. */
export class AdoptionPlanner {
  readonly #store: Store;
  readonly #service: Pick<Service, "list" | "lookup">;
  readonly #resolver: Resolver;
  /** Bindings that the plans so far would make. */
  readonly #planned = new Map<string, Binding>();

  constructor(store: Store, service: Pick<Service, "list" | "lookup">) {
    this.#store = store;
    this.#service = service;
    this.#resolver = new Resolver(
      { bindings: (ids) => this.#bindings(ids), record: (id) => store.record(id) },
      service,
    );
  }

  /** Reads the stream's resource once and compares every staged record with it. */
  async plan(stream: Stream, signal: AbortSignal): Promise<AdoptionPlan> {
    const index = await ServiceIndex.read(stream, this.#service, signal);
    const records: PlannedRecord[] = [];
    const taken = new Set<ServiceId>();
    let after: RecordId | undefined;
    for (;;) {
      const page = await this.#store.records({ stream: stream.name, limit: PAGE, ...(after ? { after } : {}) });
      for (const { id, row, unreadable, deleted, binding } of page) {
        const planned: PlannedRecord = binding
          ? { id, verdict: "bound", candidates: [binding.serviceId] }
          : unreadable
            ? { id, verdict: "unclear", candidates: [], error: unreadable }
            : await this.#match(id, stream, index, () => stream.map(row, deleted), signal);
        records.push(planned);
        if (planned.verdict === "bound" || planned.verdict === "matched")
          for (const serviceId of planned.candidates) taken.add(serviceId);
        if (planned.verdict === "matched")
          this.#planned.set(recordName(id), { resource: stream.resource, serviceId: planned.candidates[0]! });
      }
      after = page.at(-1)?.id;
      if (page.length < PAGE) break;
    }
    return { stream: stream.name, records: contested(records), orphans: index.orphans(taken) };
  }

  async #match(
    id: RecordId,
    stream: Stream,
    index: ServiceIndex,
    map: () => ReturnType<Stream["map"]>,
    signal: AbortSignal,
  ): Promise<PlannedRecord> {
    try {
      const mapped = await map();
      if (mapped.kind !== "record") return { id, verdict: "left out", candidates: [] };
      const { projection } = await this.#resolver.resolve(id, mapped.fields, signal);
      const found = index.find(projection);
      const free: ServiceId[] = [];
      for (const serviceId of found)
        if (!(await this.#store.boundTo({ resource: stream.resource, serviceId }))) free.push(serviceId);
      return { id, verdict: free.length === 0 ? "new" : free.length === 1 ? "matched" : "ambiguous", candidates: free };
    } catch (thrown) {
      const error = errorFacts(thrown);
      // A child of a record that is new itself cannot be in the service yet.
      if (error.code === "E_PARENT_MISSING") return { id, verdict: "new", candidates: [] };
      if (signal.aborted) throw thrown;
      return { id, verdict: "unclear", candidates: [], error };
    }
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
function contested(records: readonly PlannedRecord[]): PlannedRecord[] {
  const claims = new Map<ServiceId, number>();
  for (const { verdict, candidates } of records)
    if (verdict === "matched") claims.set(candidates[0]!, (claims.get(candidates[0]!) ?? 0) + 1);
  return records.map((record) =>
    record.verdict === "matched" && claims.get(record.candidates[0]!)! > 1
      ? { ...record, verdict: "ambiguous" }
      : record,
  );
}

/** A resource's records by the stream's natural keys, for the time of one plan. */
class ServiceIndex {
  readonly #stream: Stream;
  readonly #keys = new Map<string, ServiceId[]>();
  readonly #labels = new Map<ServiceId, string>();

  private constructor(stream: Stream) {
    this.#stream = stream;
  }

  static async read(stream: Stream, service: Pick<Service, "list">, signal: AbortSignal): Promise<ServiceIndex> {
    const index = new ServiceIndex(stream);
    const fields = ["id", ...new Set(stream.match.flatMap((rule) => rule.fields))];
    for await (const page of service.list(stream.resource, { fields }, signal))
      for (const record of page) index.#add(record);
    return index;
  }

  #add(record: ServiceRecord): void {
    const serviceId = record["id"];
    if (typeof serviceId !== "number") return;
    const { id: _, ...rest } = record;
    this.#labels.set(
      serviceId,
      Object.values(rest)
        .filter((value) => typeof value !== "object")
        .join(" "),
    );
    for (const rule of this.#stream.match) {
      const key = naturalKey(rule, record);
      if (key === undefined) continue;
      const name = `${ruleName(rule)}\u0000${key}`;
      this.#keys.set(name, [...(this.#keys.get(name) ?? []), serviceId]);
    }
  }

  /** Every record that the first rule with any hit finds. */
  find(projection: Parameters<typeof naturalKey>[1]): readonly ServiceId[] {
    for (const rule of this.#stream.match) {
      const key = naturalKey(rule, projection);
      const found = key === undefined ? undefined : this.#keys.get(`${ruleName(rule)}\u0000${key}`);
      if (found) return found;
    }
    return [];
  }

  orphans(taken: ReadonlySet<ServiceId>): Orphan[] {
    return [...this.#labels]
      .filter(([serviceId]) => !taken.has(serviceId))
      .map(([serviceId, label]) => ({ resource: this.#stream.resource, serviceId, label }));
  }
}
