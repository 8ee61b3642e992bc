import {
  errorFacts,
  type Binding,
  type Json,
  type JsonObject,
  type Projection,
  type ResourceName,
  type ServiceId,
} from "#model";
import type { Stream } from "#mapping";
import { mergedInto, mergeFields, sameValue } from "#service";
import type { Applied, Claim, DeliveryStore } from "#store";
import { ambiguous, type Found } from "../match/candidates.ts";
import { contradiction, heldRecord } from "../match/contradiction.ts";
import { naturalKey, type KeyRule } from "../match/natural-key.ts";
import type { Presence } from "./presence.ts";
import type { ExpectAct } from "../approve/approved.ts";
import type { Wanted } from "../wanted/resolver.ts";

/** Reads and binds service records that were found by a natural key. */
export class FoundRecords {
  readonly #store: Pick<DeliveryStore, "end">;
  readonly #presence: Presence;
  readonly #expect: ExpectAct;

  constructor(store: Pick<DeliveryStore, "end">, presence: Presence, expect: ExpectAct) {
    this.#store = store;
    this.#presence = presence;
    this.#expect = expect;
  }

  /**
   * Returns the candidates that still exist and have the natural key: the index does not notice what people delete, and notices
   * changes late. Returns fewer than `least` candidates unchecked: the record to be bound is read anyway.
   */
  async present(
    resource: ResourceName,
    { free, rule }: Candidates,
    wanted: Projection,
    signal: AbortSignal,
    least = 2,
  ): Promise<readonly ServiceId[]> {
    if (free.length < least) return free;
    const present: ServiceId[] = [];
    const gone: ServiceId[] = [];
    const fields = ["id", ...(rule?.fields ?? []), ...mergeFields(resource)];
    for (const serviceId of free) {
      const record = await this.#presence.read(resource, serviceId, fields, signal, wanted);
      if (record === undefined || isRekeyed(rule, record, wanted)) continue;
      (mergedInto(resource, record) === undefined ? present : gone).push(serviceId);
    }
    // One that was merged leads to the one that is left.
    return present.length > 0 ? present : gone.slice(0, 1);
  }

  /** Returns our fields as the service record holds them, or undefined when the record is certainly gone. */
  async held(
    resource: ResourceName,
    serviceId: ServiceId,
    wanted: Pick<Wanted, "projection" | "shared">,
    signal: AbortSignal,
  ): Promise<Projection | undefined> {
    const { projection } = wanted;
    const record = await this.#presence.read(resource, serviceId, Object.keys(projection), signal, projection);
    return record && ownedPart(record, wanted);
  }

  /**
   * Binds to an existing service record. What it holds now counts as last written, so that the next delivery sends exactly the
   * differences. Does not bind if the record has vanished, got another natural key or been bound to another record meanwhile, and tells what it was
   * merged into.
   * @throws {ParkError} E_MATCH_AMBIGUOUS when a stronger rule contradicts the one that found it.
   */
  async adopt(
    claim: Claim,
    { resource, match }: Stream,
    serviceId: ServiceId,
    { rule }: Candidates,
    wanted: Wanted,
    signal: AbortSignal,
  ): Promise<"bound" | "gone" | "rekeyed" | "taken" | { readonly mergedTo: ServiceId }> {
    const { projection, parents } = wanted;
    const fields = [...Object.keys(projection), ...mergeFields(resource)];
    const record = await this.#presence.read(resource, serviceId, fields, signal, projection);
    if (!record) return "gone";
    const mergedTo = mergedInto(resource, record);
    if (mergedTo !== undefined) return { mergedTo };
    if (isRekeyed(rule, record, projection)) return "rekeyed";
    const against = contradiction(match, rule, projection, heldRecord(record));
    if (against) throw ambiguous(resource, [serviceId], { ...against, rule });
    this.#expect(claim, { kind: "adopt", serviceId });
    const applied = { projection: ownedPart(record, wanted), parents };
    return this.#bind(claim, { resource, serviceId }, applied, "adopt");
  }

  /** Like {@link adopt}, for a record that a create of `sent` made. "other": a stronger rule shows that it made another one. */
  async settle(
    claim: Claim,
    { resource, match }: Stream,
    serviceId: ServiceId,
    { rule }: Pick<Found, "rule">,
    sent: Projection,
    signal: AbortSignal,
  ): Promise<"bound" | "gone" | "taken" | "other"> {
    // What people have added to an array since is theirs.
    const wanted = { projection: sent, shared: new Set(Object.keys(sent)) };
    const projection = await this.held(resource, serviceId, wanted, signal);
    if (!projection) return "gone";
    if (contradiction(match, rule, sent, heldRecord(projection))) return "other";
    return this.#bind(claim, { resource, serviceId }, { projection, parents: [] }, "settle");
  }

  async #bind(
    claim: Claim,
    { resource, serviceId }: Binding,
    { projection, parents }: Pick<Applied, "projection" | "parents">,
    action: "adopt" | "settle",
  ): Promise<"bound" | "taken"> {
    const outcome = action === "adopt" ? "adopted" : "created";
    const audit = { action, resource, serviceId, before: { ...projection }, outcome };
    const applied = { projection, outcome, parents, again: true, audit } as const;
    try {
      await this.#store.end(claim, { kind: "bind", binding: { resource, serviceId }, applied });
      return "bound";
    } catch (thrown) {
      if (errorFacts(thrown).code === "E_ALREADY_BOUND") return "taken";
      throw thrown;
    }
  }
}

type Candidates = Pick<Found, "free" | "rule">;

/** Whether a record has a different natural key now from the one by which it was found. */
function isRekeyed(rule: KeyRule | undefined, record: JsonObject, wanted: Projection): boolean {
  const key = rule && naturalKey(rule, record);
  return key !== undefined && key !== naturalKey(rule!, wanted);
}

/**
 * Returns our fields as an existing service record holds them. In a shared array only ids that we want too count as ours, so
 * that others' ids are never removed. A field that holds the wanted value in another spelling counts as holding it. So does one
 * without a value if none is wanted.
 */
export function ownedPart(
  record: JsonObject,
  { projection, shared }: Pick<Wanted, "projection" | "shared">,
): Projection {
  const owned: Record<string, Json> = {};
  for (const [name, value] of Object.entries(projection)) {
    const found = record[name];
    if (shared.has(name) && Array.isArray(value)) {
      const present = Array.isArray(found) ? found.map(linkId) : [];
      owned[name] = value.filter((id) => present.includes(id));
    } else if (sameValue(value, found)) owned[name] = value;
    else if (found !== undefined) owned[name] = Array.isArray(found) ? found.map(linkId) : linkId(found);
  }
  return owned;
}

/** Returns a linked record as its id, and any other value as it is. */
export function linkId(value: Json): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) && "id" in value ? value["id"]! : value;
}
