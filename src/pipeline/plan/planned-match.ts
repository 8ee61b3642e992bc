import type { Stream } from "#mapping";
import type { Projection, RecordId, ServiceId } from "#model";
import type { MatchStore, NoteStore, RecordStore } from "#store";
import { ambiguous, lookUp, type Found } from "../match/candidates.ts";
import { expectFree, knownMerge } from "../match/merges.ts";

export type MatchKnowledge = Pick<NoteStore, "note"> &
  Pick<RecordStore, "boundTo"> &
  Pick<MatchStore, "matches" | "matchKeys">;

/**
 * Looks in the match index for the record, as a delivery does once the service's records in `gone` are deleted. One that is known to be
 * merged stands for the one that is left.
 * @throws {ParkError} E_TICKET_MERGED when that one is another record's.
 */
export async function plannedMatch(
  store: MatchKnowledge,
  { resource, match }: Stream,
  wanted: Projection,
  self: RecordId,
  gone: readonly ServiceId[] = [],
): Promise<Found> {
  const found = await lookUp(store, resource, match, wanted, self, new Set(gone));
  const free = new Set<ServiceId>();
  for (const serviceId of found.free) free.add((await knownMerge(store, { resource, serviceId })) ?? serviceId);
  const [first, ...others] = free;
  if (first !== undefined && others.length === 0 && !found.free.includes(first))
    await expectFree(store, self, { resource, serviceId: found.free[0]! }, first);
  return { ...found, free: [...free] };
}

/**
 * The one record of the service that was found; undefined if there is none.
 * @throws {ParkError} E_MATCH_AMBIGUOUS when a person has to choose.
 */
export function theOne({ resource }: Stream, { free, rule, contradiction }: Found): ServiceId | undefined {
  if (free.length > 1) throw ambiguous(resource, free);
  if (contradiction) throw ambiguous(resource, free, { ...contradiction, rule });
  return free[0];
}
