import { type Actor, type Binding, ParkError, type RecordId, recordLabel, type ServiceId } from "#model";
import type { Stream } from "#mapping";
import { forgetMerges, proposeBinding, type ProposedBinding } from "#pipeline";
import type { Service } from "#service";
import { isAnswerable, type NoteStore, type OperatorStore, type RecordStore, type RecordView } from "#store";
import { recordWord } from "../text/shell.ts";
import { defineAct } from "./act.ts";
import { whole } from "./inputs.ts";
import { knownRecord, knownStream, labelOf } from "./known-record.ts";

export const bindAct = defineAct({
  name: "bind",
  target: "record",
  needs: "systems",
  help: "Bind a record to one that the service has",
  input: { serviceId: whole(1) },
  inputHelp: "`serviceId`; without `confirm` it answers with both sides and binds nothing",
  audit: "resolve",
  wakes: "deliveries",
  run({ store, service, streams }, { target: id, input: { serviceId }, isConfirmed, signal }, by) {
    const isMeant = () => Promise.resolve(isConfirmed);
    return bind({ store, service }, { id, stream: knownStream(streams, id.stream), serviceId, isMeant, signal }, by);
  },
  answer: (bound) => bound,
  forms: ({ record: { state, binding } }) =>
    isAnswerable(state) && binding === undefined
      ? [
          {
            label: "Bind to a record of the service",
            means: "Shows both sides before anything is bound.",
            fields: [{ kind: "digits", name: "serviceId", label: "Service id" }],
          },
        ]
      : [],
  command: "resolve --bind",
});

export interface BindInput {
  readonly id: RecordId;
  readonly stream: Stream;
  readonly serviceId: ServiceId;
  /** Shows both sides before anything is bound; false binds nothing. */
  readonly isMeant: (proposed: ProposedBinding, binding: Binding) => Promise<boolean>;
  readonly signal: AbortSignal;
}

/** What was bound, with both sides; `isBound` is false if the person said no. */
export interface BoundByPerson extends ProposedBinding {
  readonly binding: Binding;
  readonly isBound: boolean;
}

/**
 * Binds a record to an existing record of the service that no other record is bound to.
 * @throws {ParkError} E_RECORD_UNKNOWN, E_NOT_RESOLVABLE, E_ALREADY_BOUND; {WaitError} E_SERVICE_DOUBTED.
 */
export async function bind(
  { store, service }: { readonly store: RecordStore & OperatorStore & NoteStore; readonly service: Service },
  { id, stream, serviceId, isMeant, signal }: BindInput,
  by: Actor,
): Promise<BoundByPerson> {
  const view = await knownRecord(store, id);
  const binding = { resource: stream.resource, serviceId };
  const owner = await store.boundTo(binding);
  const isOwn = owner !== undefined && recordLabel(owner) === recordLabel(id);
  if (!isAnswerable(view.state) && (isOwn || !owner)) throw settledAlready(view);
  if (owner) throw new ParkError("E_ALREADY_BOUND", `${labelOf(binding)} already belongs to ${recordLabel(owner)}`);
  const proposed = await proposeBinding({ store, service }, stream, view, serviceId, signal);
  if (!proposed.theirs)
    throw new ParkError("E_NOT_RESOLVABLE", `the service has no ${labelOf(binding)}: nothing was bound`);
  const isBound = await isMeant(proposed, binding);
  if (isBound) {
    await forgetMerges(store, id, stream.resource);
    await store.resolve(id, { kind: "bind", binding }, by);
  }
  return { ...proposed, binding, isBound };
}

/** Reported before anything is asked, because no question is left. */
function settledAlready({ id, state, binding }: RecordView): ParkError {
  const bound = binding ? ` and bound to ${labelOf(binding)}` : "";
  const next = binding
    ? `"svcsync unbind ${recordWord(id)}" ends that binding`
    : "only one that is due, waiting, parked, uncertain or left out can be bound";
  return new ParkError("E_NOT_RESOLVABLE", `${recordLabel(id)} is ${state}${bound}: ${next}. Nothing was bound`);
}
