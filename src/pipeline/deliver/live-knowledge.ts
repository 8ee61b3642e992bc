import type { Stream } from "#mapping";
import type { Binding, Projection, RecordId, ResourceName, ServiceId } from "#model";
import type { BoundClaim, Claim, Parents, Store } from "#store";
import type { Bound, Knowledge } from "../decide/knowledge.ts";
import type { Found } from "../match/candidates.ts";
import type { FoundRecords } from "../counterpart/found-records.ts";
import { expectEnded, reserveKeys, type KeysInFlight } from "../match/keys-in-flight.ts";
import type { Freshness, Matcher } from "../match/matcher.ts";
import type { DeleteGuard } from "../holds/delete-guard.ts";
import type { Edited } from "../wanted/difference.ts";
import type { Remover } from "./delete/removal.ts";
import type { EmptyFields } from "./update/empty-fields.ts";
import type { MergedTickets } from "./update/merged-tickets.ts";
import type { Resolver, Wanted } from "../wanted/resolver.ts";

export interface LiveKnowledgeDeps {
  readonly store: Store;
  readonly resolver: Resolver;
  readonly matcher: Matcher;
  readonly found: FoundRecords;
  readonly keys: KeysInFlight;
  readonly merged: MergedTickets;
  readonly emptyFields: EmptyFields;
  readonly guard: DeleteGuard;
  readonly remover: Pick<Remover, "expectChildless">;
}

/** What one delivery knows: the store, and what the service shows now. */
export class LiveKnowledge implements Knowledge<Claim> {
  readonly resolver: Resolver;
  readonly #deps: LiveKnowledgeDeps;
  /** Service records that were found, and that people deleted or gave another key since the index was read. */
  readonly #others = new Set<ServiceId>();
  #freshness: Freshness = "young";
  #reserved: RecordId | undefined;
  #parents: Parents = [];

  constructor(deps: LiveKnowledgeDeps) {
    this.#deps = deps;
    this.resolver = deps.resolver;
  }

  /** The parents of the record, as far as they are known. */
  get parents(): Parents {
    return this.#parents;
  }

  noteWanted({ parents }: Wanted): void {
    this.#parents = parents;
  }

  record(id: RecordId): ReturnType<Store["record"]> {
    return this.#deps.store.record(id);
  }

  recordNow(id: RecordId): ReturnType<Store["record"]> {
    return this.record(id);
  }

  cursor(...of: Parameters<Store["stream"]>): ReturnType<Store["stream"]> {
    return this.#deps.store.stream(...of);
  }

  boundTo(...of: Parameters<Store["boundTo"]>): ReturnType<Store["boundTo"]> {
    return this.#deps.store.boundTo(...of);
  }

  async match(
    claim: Claim,
    stream: Stream,
    { projection }: Wanted,
    mayCreate: boolean,
    signal: AbortSignal,
  ): Promise<Found> {
    const { matcher, found: records } = this.#deps;
    // Reserve before looking: a record that another create makes meanwhile is not this one's.
    if (mayCreate && this.#reserved === undefined) await this.#reserve(claim, stream, projection);
    for (;;) {
      const found = await matcher.find(stream, projection, claim.id, signal, this.#freshness, this.#others);
      if (found.free.length === 0) return found;
      await this.#expectNoMaker(claim.id, stream.resource, found, projection);
      const free = await records.present(stream.resource, found, projection, signal);
      // What speaks against it is looked up in the record itself before it is bound.
      if (free.length > 0) return { ...found, free, contradiction: undefined };
      for (const id of found.free) this.#others.add(id);
    }
  }

  /** Notes why a record that was found could not be bound: the next look leaves it out, unless it belongs to another one by now. */
  retract({ free }: Found, end: "gone" | "rekeyed" | "taken"): void {
    if (end === "rekeyed") this.#freshness = "afresh";
    if (end !== "taken") for (const id of free) this.#others.add(id);
  }

  /** Lets others have the record's natural key. Does nothing if it was not reserved for this delivery. */
  release(): void {
    if (this.#reserved) this.#deps.keys.release(this.#reserved);
    this.#reserved = undefined;
  }

  mergedTo(binding: Binding): Promise<ServiceId | undefined> {
    return this.#deps.merged.known(binding);
  }

  mergedNow(binding: Binding, signal: AbortSignal): Promise<ServiceId | undefined> {
    return this.#deps.merged.shownInto(binding, signal);
  }

  mergedBefore(claim: Bound<Claim>, signal: AbortSignal): Promise<ServiceId | undefined> {
    return this.#deps.merged.before(claim, signal);
  }

  edited(claim: BoundClaim, last: Projection, wanted: Wanted, signal: AbortSignal): Promise<Edited | undefined> {
    return this.#deps.emptyFields.edited(claim, last, wanted, signal);
  }

  expectAllowed(claim: Claim): Promise<void> {
    return this.#deps.guard.expectAllowed(claim);
  }

  expectChildless(claim: Claim): Promise<void> {
    return this.#deps.remover.expectChildless(claim);
  }

  async #reserve(claim: Claim, stream: Stream, projection: Projection): Promise<void> {
    const { store, keys } = this.#deps;
    this.#reserved = claim.id;
    const elsewhere = await reserveKeys(store, claim, stream, projection);
    if (elsewhere) await expectEnded(store, stream.resource, elsewhere);
    const owner = keys.owner(stream, projection, claim.id);
    if (owner) {
      await expectEnded(store, stream.resource, owner);
      keys.release(owner);
    }
    keys.reserve(stream, projection, claim.id);
  }

  /** Refuses to adopt a record that another record's create may have made. */
  async #expectNoMaker(self: RecordId, resource: ResourceName, { rule }: Found, projection: Projection): Promise<void> {
    const { keys, store } = this.#deps;
    const maker = rule && keys.maker(resource, rule, projection, self);
    if (maker) await expectEnded(store, resource, maker);
  }
}
