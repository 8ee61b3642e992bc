import { type Actor, type Binding, ParkError, type RecordId, recordLabel, type ServiceId } from "#model";
import type { OperatorStore, RecordStore } from "#store";
import { defineAct } from "./act.ts";
import { whole } from "./inputs.ts";
import { knownRecord, labelOf } from "./known-record.ts";

/** Ends a wrong binding. */
export const unbindAct = defineAct({
  name: "unbind",
  target: "record",
  needs: "store",
  help: "Unbind a record that is bound to the wrong record in the service",
  input: { serviceId: whole(1).optional() },
  inputHelp: "`serviceId`, optional: if the record is bound to another one, the act is refused",
  isFinal: true,
  audit: "unbind",
  run: (systems, { target: id, input: { serviceId } }, by) => unbind(systems, { id, serviceId }, by),
  forms: ({ record: { state, binding } }) =>
    binding !== undefined && state !== "claimed"
      ? [
          {
            label: "End the binding",
            means: `It no longer belongs to ${labelOf(binding)}; nothing changes in the service. It then waits for your decision.`,
            fields: [{ kind: "hidden", name: "serviceId", value: binding.serviceId }],
          },
        ]
      : [],
  command: "unbind",
});

/**
 * Removes a wrong binding and returns it; with `serviceId`, only a binding to that record of the service. The record is
 * then held until a person resolves it: the service record may have its natural key by now, and without such a key a
 * create would duplicate it.
 * @throws {ParkError} E_RECORD_UNKNOWN, E_NOT_RESOLVABLE.
 */
export async function unbind(
  { store }: { readonly store: RecordStore & OperatorStore },
  { id, serviceId }: { readonly id: RecordId; readonly serviceId?: ServiceId | undefined },
  by: Actor,
): Promise<Binding> {
  const { binding } = await knownRecord(store, id);
  if (binding && serviceId !== undefined && binding.serviceId !== serviceId)
    throw new ParkError(
      "E_NOT_RESOLVABLE",
      `${recordLabel(id)} is bound to ${labelOf(binding)} now, not to ${serviceId}: check it again. Nothing was changed`,
    );
  if (!binding) throw new ParkError("E_NOT_RESOLVABLE", `${recordLabel(id)} is not bound: there is nothing to end`);
  await store.resolve(id, { kind: "unbind" }, by);
  return binding;
}
