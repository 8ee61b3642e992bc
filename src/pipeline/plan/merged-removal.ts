import { type Binding, type RecordId } from "#model";
import type { Deletion } from "#mapping";
import type { NoteStore, RecordStore } from "#store";
import { DELETED } from "../deliver/merged-tickets.ts";
import { expectFree, knownMerge, merged, mergedBefore, MergedError } from "../match/merges.ts";
import { COMPARED, LEFT, type Draft } from "./drafts.ts";
import type { PlannedField } from "./planned-delivery.ts";

/**
 * Plans the deletion of a record whose ticket is known to be merged, or to be the one that a merge left; undefined for others. The fields
 * that a deletion sets are written to the ticket that is left.
 * @throws {ParkError} E_TICKET_MERGED when a person decides about the ticket that is left.
 */
export async function mergedRemoval(
  store: Pick<NoteStore, "note"> & Pick<RecordStore, "boundTo">,
  id: RecordId,
  binding: Binding,
  { policy }: Deletion,
  fields: () => Promise<readonly PlannedField[]>,
): Promise<Draft | undefined> {
  const mergedTo = await knownMerge(store, binding);
  if (mergedTo === undefined) {
    const former = policy === "delete" ? await mergedBefore(store, id, binding) : undefined;
    if (former !== undefined) throw merged(binding.resource, former, binding.serviceId, DELETED);
    return undefined;
  }
  try {
    await expectFree(store, id, binding, mergedTo);
  } catch (thrown) {
    if (thrown instanceof MergedError) return LEFT;
    throw thrown;
  }
  if (policy !== "set") throw merged(binding.resource, binding.serviceId, mergedTo, DELETED);
  return { verdict: "adopt", serviceId: mergedTo, fields: await fields(), state: "deleted", reason: COMPARED };
}
