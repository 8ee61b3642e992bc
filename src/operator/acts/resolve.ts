import { type Actor, type Binding, ParkError, type RecordId, recordLabel, type ServiceId } from "#model";
import type { Stream } from "#mapping";
import { forgetMerges, proposeBinding, type ProposedBinding } from "#pipeline";
import type { Service } from "#service";
import { isAnswerable, type NoteStore, type OperatorStore, type RecordStore, type RecordView } from "#store";
import { recordWord } from "../text/shell.ts";

export interface ResolveInput {
  readonly id: RecordId;
  readonly answer: "create" | "skip";
  /** Undefined for a stream that is no longer in the sync file. */
  readonly stream?: Pick<Stream, "name" | "create"> | undefined;
  /**
   * When the create began whose result the person looked for, or `none` if there was none; undefined where that is not
   * known.
   */
  readonly begunAt?: number | "none" | undefined;
}

/**
 * Answers a create with an unknown result, or a parked record, without binding it.
 * @throws {ParkError} E_RECORD_UNKNOWN; E_NOT_RESOLVABLE, also where a different create has begun since, because the
 * person did not look for its result, and for a create in a stream that creates none.
 */
export async function resolve(
  { store }: { readonly store: RecordStore & OperatorStore },
  { id, answer, begunAt, stream }: ResolveInput,
  by: Actor,
): Promise<void> {
  if (answer === "create" && stream?.create === "never")
    throw new ParkError(
      "E_NOT_RESOLVABLE",
      `${stream.name} has create: never in the sync file, so svcsync creates no record there: "svcsync resolve ${recordWord(id)} --bind ID" binds one that the service has, "--skip" leaves it out. Nothing was changed`,
    );
  const { intent } = await knownRecord(store, id);
  if (begunAt !== undefined && (intent?.begunAt ?? "none") !== begunAt)
    throw new ParkError(
      "E_NOT_RESOLVABLE",
      `${recordLabel(id)} was answered or delivered meanwhile: look again whether the service has it. Nothing was changed`,
    );
  await store.resolve(id, { kind: answer }, by);
}

export interface BindInput {
  readonly id: RecordId;
  readonly stream: Stream;
  readonly serviceId: ServiceId;
  /** Shows both sides before anything is bound; false binds nothing. */
  readonly isMeant: (proposed: ProposedBinding, binding: Binding) => Promise<boolean>;
  readonly signal: AbortSignal;
}

/** What was bound, with both sides; `isBound` is false if the person said no. */
export interface Bound extends ProposedBinding {
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
): Promise<Bound> {
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

/** @throws {ParkError} E_RECORD_UNKNOWN. */
export async function knownRecord(store: RecordStore, id: RecordId): Promise<RecordView> {
  const view = await store.record(id);
  if (view) return view;
  const message = `${recordLabel(id)} is not in the store: no poll of ${id.stream} has returned this key`;
  throw new ParkError("E_RECORD_UNKNOWN", message);
}

export function labelOf({ resource, serviceId }: Binding): string {
  return `${resource} ${serviceId}`;
}

/** Reported before anything is asked, because no question is left. */
function settledAlready({ id, state, binding }: RecordView): ParkError {
  const bound = binding ? ` and bound to ${labelOf(binding)}` : "";
  const next = binding
    ? `"svcsync unbind ${recordWord(id)}" ends that binding`
    : "only one that is due, waiting, parked, uncertain or left out can be bound";
  return new ParkError("E_NOT_RESOLVABLE", `${recordLabel(id)} is ${state}${bound}: ${next}. Nothing was bound`);
}

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
