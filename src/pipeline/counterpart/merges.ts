import {
  recordLabel,
  recordName,
  type Binding,
  type Projection,
  type RecordId,
  type ResourceName,
  type ServiceId,
} from "#model";
import { mergeable, mergedInto, mergeFields } from "#service";
import type { MatchStore, NoteStore, OperatorStore, Parents, RecordStore, RecordView } from "#store";
import { mergesNote, type Merge } from "../notes.ts";
import { merged, type MergedError } from "./merged-error.ts";
import type { Presence } from "./presence.ts";

/** The service id that a record is bound to, if it is, and of the record which the service has merged its own into. */
export interface MergedBinding {
  readonly serviceId?: ServiceId;
  readonly mergedTo?: ServiceId;
}

type Known = Readonly<Record<string, Merge>>;

/**
 * The bindings of these records, and of each the record that is left where it is known that people merged its own: what refers to it
 * belongs to that one. This holds too for a record that could not be bound, because the one that is left belongs to another record;
 * but not where a person has ended the binding.
 */
export async function withMerges(
  store: MergesKnown,
  ids: readonly RecordId[],
  bindings: ReadonlyMap<string, Binding>,
): Promise<ReadonlyMap<string, MergedBinding>> {
  const merged = new Map<string, MergedBinding>(bindings);
  for (const resource of mergeable) {
    const known = await notedMerges(store, resource);
    if (Object.keys(known).length === 0) continue;
    for (const id of ids) {
      const name = recordName(id);
      const binding = bindings.get(name);
      const from = binding === undefined ? await unboundMerge(store, known, id) : binding.serviceId;
      if (from === undefined || (binding && binding.resource !== resource)) continue;
      const mergedTo = last(known, from);
      if (mergedTo !== undefined) merged.set(name, { ...binding, mergedTo });
    }
  }
  return merged;
}

type MergesKnown = Pick<NoteStore, "note"> & Pick<RecordStore, "record">;

/** The merged record that was found to be the counterpart of one which is bound to nothing, as long as the merge is the reason. */
async function unboundMerge(store: MergesKnown, known: Known, id: RecordId): Promise<ServiceId | undefined> {
  const { stream, key } = id;
  const from = Object.keys(known).find((each) => known[each]!.stream === stream && known[each]!.key === key);
  const { state, error, decision } = (from === undefined ? undefined : await store.record({ stream, key })) ?? {};
  // A person who leaves the record out changes nothing about its merge; one who ends its binding does.
  const isLeftOut = state === "skipped" && decision?.kind !== "unbound";
  return isLeftOut || (state === "parked" && error?.code === "E_TICKET_MERGED") ? Number(from) : undefined;
}

/** The record that this one was merged into as far as that was noticed. */
export async function knownMerge(
  store: Pick<NoteStore, "note">,
  { resource, serviceId }: Binding,
): Promise<ServiceId | undefined> {
  return last(await notedMerges(store, resource), serviceId);
}

async function notedMerges(store: Pick<NoteStore, "note">, resource: ResourceName): Promise<Known> {
  return (mergeFields(resource).length > 0 && (await store.note(mergesNote(resource)))) || {};
}

/**
 * The record of the service that was merged into the one which `id` is bound to by now; undefined where no merge led there, or where a
 * person has bound the record since.
 */
export async function mergedBefore(
  store: Pick<NoteStore, "note">,
  id: RecordId,
  { resource, serviceId }: Binding,
): Promise<ServiceId | undefined> {
  const known = await notedMerges(store, resource);
  const former = Object.keys(known).find((from) => {
    const { stream, key } = known[from]!;
    return stream === id.stream && key === id.key && last(known, Number(from)) === serviceId;
  });
  return former === undefined ? undefined : Number(former);
}

/** Forgets the merges that led a record to its counterpart, because a person has chosen another one or it is gone. */
export async function forgetMerges(
  store: Pick<NoteStore, "note" | "replaceNote">,
  id: RecordId,
  resource: ResourceName,
): Promise<void> {
  const note = mergesNote(resource);
  for (;;) {
    const known = await notedMerges(store, resource);
    const left = Object.entries(known).filter(([, { stream, key }]) => stream !== id.stream || key !== id.key);
    if (left.length === Object.keys(known).length) return;
    if (await store.replaceNote(note, known, left.length === 0 ? undefined : Object.fromEntries(left))) return;
  }
}

/** The bound children of a record whose counterparts are still records of their own. What was merged keeps no parent in the service. */
export async function standingChildren(
  store: MergesKnown & Pick<RecordStore, "bindings" | "children">,
  parent: RecordId,
): Promise<RecordId[]> {
  const children = await store.children(parent, "bound");
  if (children.length === 0) return children;
  const bindings = await withMerges(store, children, await store.bindings(children));
  return children.filter((child) => bindings.get(recordName(child))?.mergedTo === undefined);
}

export interface MergesDeps {
  readonly store: NoteStore &
    Pick<RecordStore, "bindings" | "children" | "record"> &
    Pick<MatchStore, "recheck"> &
    Pick<OperatorStore, "retryNow">;
  readonly presence: Pick<Presence, "read">;
}

/** Records of the service that people merged into others. Each merge that was noticed is kept. */
export class Merges {
  readonly #deps: MergesDeps;

  constructor(deps: MergesDeps) {
    this.#deps = deps;
  }

  /** The store's bindings, with the merges that are known. */
  async bindings(ids: readonly RecordId[]): Promise<ReadonlyMap<string, MergedBinding>> {
    return withMerges(this.#deps.store, ids, await this.#deps.store.bindings(ids));
  }

  /** What is known without asking the service. */
  known(binding: Binding): Promise<ServiceId | undefined> {
    return knownMerge(this.#deps.store, binding);
  }

  /**
   * The record that is left after all merges, which begin with one into `first`.
   * @throws {ParkError} E_TICKET_MERGED when the merges form a circle, or the last record does not exist.
   */
  async survivor(from: Binding, first: ServiceId, signal: AbortSignal): Promise<ServiceId> {
    const { serviceId, isGone } = await this.last(from, first, signal);
    if (isGone) throw merged(from.resource, from.serviceId, serviceId, "which does not exist any more");
    return serviceId;
  }

  /**
   * The last record of the merges that begin with one into `first`, and whether the service has it no more.
   * @throws {ParkError} E_TICKET_MERGED when the merges form a circle.
   */
  async last(
    { resource, serviceId }: Binding,
    first: ServiceId,
    signal: AbortSignal,
  ): Promise<{ serviceId: ServiceId; isGone: boolean }> {
    const passed = new Set([serviceId]);
    for (let at = first; ;) {
      if (passed.has(at)) throw merged(resource, serviceId, at, "and these merges form a circle");
      passed.add(at);
      const record = await this.#deps.presence.read(resource, at, ["id", ...mergeFields(resource)], signal);
      const next = record && mergedInto(resource, record);
      if (next === undefined) return { serviceId: at, isGone: record === undefined };
      at = next;
    }
  }

  /** Notes a merge, and makes the records due that refer to the merged one. */
  async keep(id: RecordId, { resource, serviceId }: Binding, to: ServiceId): Promise<void> {
    const { store } = this.#deps;
    const note = mergesNote(resource);
    for (;;) {
      const known = await store.note(note);
      const next = { ...known, [serviceId]: { to, stream: id.stream, key: id.key } };
      if (await store.replaceNote(note, known, next)) {
        await this.#wake(next, serviceId);
        return;
      }
    }
  }

  /** Makes a record due again that was written while one of its parents was found to be merged. */
  async correct(child: RecordId, projection: Projection, parents: Parents): Promise<void> {
    if (parents.length === 0) return;
    const carried = new Set(Object.values(projection));
    for (const { mergedTo, serviceId } of (await this.bindings(parents)).values())
      if (mergedTo !== undefined && serviceId !== undefined && carried.has(serviceId))
        await this.#deps.store.recheck(child, {});
  }

  /** Wakes what refers to the record, and what refers to records that were merged into it before. */
  async #wake(known: Known, serviceId: ServiceId): Promise<void> {
    const { store } = this.#deps;
    for (const [from, { stream, key }] of Object.entries(known)) {
      if (Number(from) !== serviceId && !passes(known, Number(from), serviceId)) continue;
      const parent = { stream, key };
      const [bound, dependent] = [await store.children(parent, "bound"), await store.children(parent, "dependent")];
      const children = [...bound, ...dependent, ...(await store.children(parent, "waiting"))];
      const once = new Map(children.map((child) => [recordName(child), child]));
      for (const child of once.values())
        if (!(await store.recheck(child, {}))) await store.retryNow({ ...child, states: ["parked", "waiting"] });
    }
  }
}

type Owners = Pick<RecordStore, "boundTo"> & { record(id: RecordId): Promise<Pick<RecordView, "state"> | undefined> };

/** The error of a record whose counterpart was merged into one that belongs to another record of the ERP; undefined if it does not. */
export async function takenBy(
  store: Owners,
  self: RecordId,
  { resource, serviceId }: Binding,
  survivor: ServiceId,
): Promise<MergedError | undefined> {
  const owner = await store.boundTo({ resource, serviceId: survivor });
  if (owner === undefined || recordName(owner) === recordName(self)) return undefined;
  // A deleted record keeps its counterpart, because it may come back. Only a person can know that it does not.
  const isDeleted = (await store.record(owner))?.state === "deleted";
  const whose = isDeleted
    ? `which belongs to ${recordLabel(owner)}, deleted in the ERP`
    : `which is ${recordLabel(owner)}`;
  return merged(resource, serviceId, survivor, whose, { owner: recordLabel(owner) });
}

/**
 * Expects that the record which is left belongs to no other record of the ERP.
 * @throws {ParkError} E_TICKET_MERGED otherwise.
 */
export async function expectFree(...of: Parameters<typeof takenBy>): Promise<void> {
  const taken = await takenBy(...of);
  if (taken) throw taken;
}

type Reads = Pick<Presence, "read">;

/** Whether a record with the natural key of another one exists beside it: people may have merged it into that one. */
export async function isSeparate(presence: Reads, of: Binding, signal: AbortSignal): Promise<boolean> {
  const { resource, serviceId } = of;
  const record = await presence.read(resource, serviceId, ["id", ...mergeFields(resource)], signal);
  return record !== undefined && mergedInto(resource, record) === undefined;
}

/** The record that the service has merged this one into, as it shows it now; undefined if it was not merged. */
export async function mergeOf(presence: Reads, of: Binding, signal: AbortSignal): Promise<ServiceId | undefined> {
  const { resource, serviceId } = of;
  if (mergeFields(resource).length === 0) return undefined;
  const record = await presence.read(resource, serviceId, ["id", ...mergeFields(resource)], signal);
  return record && mergedInto(resource, record);
}

/** Like {@link isSeparate}, for records that a list has just shown. Asks only where records can be merged. */
export async function isUnmerged(presence: Reads, binding: Binding, signal: AbortSignal): Promise<boolean> {
  return mergeFields(binding.resource).length === 0 || isSeparate(presence, binding, signal);
}

function last(known: Known, from: ServiceId): ServiceId | undefined {
  const passed = new Set([from]);
  let at: ServiceId | undefined;
  for (let next = known[from]?.to; next !== undefined && !passed.has(next); next = known[next]?.to) {
    passed.add(next);
    at = next;
  }
  return at;
}

function passes(known: Known, from: ServiceId, through: ServiceId): boolean {
  const passed = new Set([from]);
  for (let next = known[from]?.to; next !== undefined && !passed.has(next); next = known[next]?.to) {
    if (next === through) return true;
    passed.add(next);
  }
  return false;
}
