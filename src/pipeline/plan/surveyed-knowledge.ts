import type { Stream } from "#mapping";
import { recordName, type Binding, type Projection, type RecordId } from "#model";
import type { Service } from "#service";
import type { RecordView } from "#store";
import type { Knowledge, KnownRecord } from "../decide/knowledge.ts";
import { Resolver, type Wanted } from "../wanted/resolver.ts";
import type { Found } from "../match/candidates.ts";
import type { KeysInFlight } from "../match/keys-in-flight.ts";
import type { Matcher } from "../match/matcher.ts";
import { withMerges, type MergedBinding } from "../counterpart/merges.ts";
import { StoreKnowledge, type ReadStore } from "../decide/store-knowledge.ts";

export interface SurveyedKnowledgeDeps {
  readonly store: ReadStore;
  readonly service: Pick<Service, "lookup">;
  readonly matcher: Pick<Matcher, "find">;
  /** Natural keys of the records that a first run creates. */
  readonly keys: KeysInFlight;
  /** Bindings that a first run makes, by record. */
  readonly planned: ReadonlyMap<string, Binding>;
}

/** What is known about one record before the first run: the store, and the match index that was just read. */
export class SurveyedKnowledge extends StoreKnowledge implements Knowledge<RecordView> {
  readonly resolver: Resolver;
  readonly #deps: SurveyedKnowledgeDeps;
  #wanted: Wanted | undefined;

  constructor(deps: SurveyedKnowledgeDeps) {
    super(deps.store);
    this.#deps = deps;
    const bindings = (ids: readonly RecordId[]) => this.#bindings(ids);
    this.resolver = new Resolver({ bindings, record: (id) => deps.store.record(id) }, deps.service);
  }

  /** What the record should be, or what it is looked for by; undefined as long as neither is known. */
  get wanted(): Wanted | undefined {
    return this.#wanted;
  }

  noteWanted(wanted: Wanted): void {
    this.#wanted = wanted;
  }

  record(id: RecordId): Promise<KnownRecord | undefined> {
    return this.recordNow(id);
  }

  match({ id }: RecordView, stream: Stream, wanted: Wanted, _: boolean, signal: AbortSignal): Promise<Found> {
    this.#wanted = wanted;
    return this.#deps.matcher.find(stream, wanted.projection, id, signal);
  }

  /** @throws {WaitError} E_MATCH_TAKEN where the first run creates another record with the natural key. */
  noteCreate({ id }: RecordView, stream: Stream, projection: Projection): void {
    this.#deps.keys.reserve(stream, projection, id);
  }

  /** Only bound records have children in the service, and these are not surveyed. */
  expectChildless(): Promise<void> {
    return Promise.resolve();
  }

  async #bindings(ids: readonly RecordId[]): Promise<ReadonlyMap<string, MergedBinding>> {
    const { store, planned } = this.#deps;
    const bound = new Map(await withMerges(store, ids, await store.bindings(ids)));
    for (const id of ids) {
      const binding = planned.get(recordName(id));
      if (binding && !bound.has(recordName(id))) bound.set(recordName(id), binding);
    }
    return bound;
  }
}
