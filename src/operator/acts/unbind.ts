import { ParkError, recordLabel, type Actor, type Binding, type RecordId } from "#model";
import type { OperatorStore, RecordStore } from "#store";
import { knownRecord } from "./resolve.ts";

/**
 * Ends a binding that is wrong and returns it. The record is then held until a person resolves it: the service record it was
 * bound to may have its natural key by now, and without such a key a create would duplicate it.
 * @throws {ParkError} E_RECORD_UNKNOWN, E_NOT_RESOLVABLE.
 */
export async function unbind(
  { store }: { readonly store: RecordStore & OperatorStore },
  id: RecordId,
  by: Actor,
): Promise<Binding> {
  const { binding } = await knownRecord(store, id);
  if (!binding) throw new ParkError("E_NOT_RESOLVABLE", `${recordLabel(id)} is not bound: there is nothing to end`);
  await store.resolve(id, { kind: "unbind" }, by);
  return binding;
}
