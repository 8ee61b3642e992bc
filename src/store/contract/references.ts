import type { Json, ResourceName } from "#model";

/** A cache of the service's reference data (types, states, countries …), which every start needs and which rarely changes. */
export interface ReferenceStore {
  /** What was last saved, and when. */
  reference(resource: ResourceName): Promise<{ readAt: number; entries: Json } | undefined>;

  saveReference(resource: ResourceName, entries: Json): Promise<void>;
}
