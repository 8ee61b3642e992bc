import type { Json, JsonObject, Projection, ResourceName, ServiceId } from "#model";
import type { Stream } from "#mapping";
import { sameValue } from "#service";
import type { Claim, DeliveryStore } from "#store";
import type { Presence } from "./presence.ts";
import type { Wanted } from "../deliver/resolver.ts";

/** Records of the service that were found by a natural key: which are there, what they hold, and binding to one of them. */
export class FoundRecords {
  readonly #store: Pick<DeliveryStore, "bind">;
  readonly #presence: Presence;

  constructor(store: Pick<DeliveryStore, "bind">, presence: Presence) {
    this.#store = store;
    this.#presence = presence;
  }

  /** Of `least` candidates or more those that still exist: the index does not see what people delete. One that is bound is read then. */
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

  /** What a record that is there holds of our fields, or undefined when it is gone for sure. */
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
   * Binds to a record that is there; what it holds now counts as last written, so that the next delivery sends exactly what
   * differs. False when it has vanished meanwhile.
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
 * What a record that is there holds of our fields. Of an array only the ids that we want too count as ours: others' are
 * never removed. What holds the wanted value in another spelling, or shows no value where none is wanted, holds it.
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

/** A linked record as its id. */
export function linkId(value: Json): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) && "id" in value ? value["id"]! : value;
}
