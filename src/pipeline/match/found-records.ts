import type { Json, JsonObject, Projection, ResourceName, ServiceId } from "#model";
import type { Stream } from "#mapping";
import { sameValue } from "#service";
import type { Claim, DeliveryStore } from "#store";
import type { Presence } from "./presence.ts";
import type { Wanted } from "../deliver/resolver.ts";

/** Reads and binds service records that were found by a natural key. */
export class FoundRecords {
  readonly #store: Pick<DeliveryStore, "bind">;
  readonly #presence: Presence;

  constructor(store: Pick<DeliveryStore, "bind">, presence: Presence) {
    this.#store = store;
    this.#presence = presence;
  }

  /**
   * Returns the candidates that still exist, because the index does not notice what people delete. Returns fewer than `least`
   * candidates unchecked: the record to be bound is read anyway.
   */
  async present(
    resource: ResourceName,
    candidates: readonly ServiceId[],
    signal: AbortSignal,
    least = 2,
  ): Promise<readonly ServiceId[]> {
    if (candidates.length < least) return candidates;
    const present: ServiceId[] = [];
    for (const serviceId of candidates)
      if (await this.#presence.read(resource, serviceId, ["id"], signal)) present.push(serviceId);
    return present;
  }

  /** Returns our fields as the service record holds them, or undefined when the record is certainly gone. */
  async held(
    resource: ResourceName,
    serviceId: ServiceId,
    wanted: Projection,
    signal: AbortSignal,
  ): Promise<Projection | undefined> {
    const record = await this.#presence.read(resource, serviceId, Object.keys(wanted), signal, wanted);
    return record && ownedPart(record, wanted);
  }

  /**
   * Binds to an existing service record. What it holds now counts as last written, so that the next delivery sends exactly the
   * differences. Returns false when the record has vanished meanwhile.
   */
  async bind(
    claim: Claim,
    stream: Stream,
    serviceId: ServiceId,
    wanted: Pick<Wanted, "projection" | "parents">,
    action: "adopt" | "settle",
    signal: AbortSignal,
  ): Promise<boolean> {
    const { resource } = stream;
    const projection = await this.held(resource, serviceId, wanted.projection, signal);
    if (!projection) return false;
    const outcome = action === "adopt" ? "adopted" : "created";
    await this.#store.bind(
      claim,
      { resource, serviceId },
      {
        projection,
        outcome,
        parents: wanted.parents,
        again: true,
        audit: { action, resource, serviceId, before: { ...projection }, outcome },
      },
    );
    return true;
  }
}

/**
 * Returns our fields as an existing service record holds them. In an array only ids that we want too count as ours, so that others'
 * ids are never removed. A field that holds the wanted value in another spelling counts as holding it. So does one without a value
 * if none is wanted.
 */
function ownedPart(record: JsonObject, wanted: Projection): Projection {
  const owned: Record<string, Json> = {};
  for (const [name, value] of Object.entries(wanted)) {
    const found = record[name];
    if (!Array.isArray(value) && sameValue(value, found)) owned[name] = value;
    if (name in owned || found === undefined) continue;
    if (Array.isArray(value) && Array.isArray(found)) {
      const present = found.map(linkId);
      owned[name] = value.filter((id) => present.includes(id));
    } else owned[name] = linkId(found);
  }
  return owned;
}

/** Returns a linked record as its id, and any other value as it is. */
export function linkId(value: Json): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) && "id" in value ? value["id"]! : value;
}
