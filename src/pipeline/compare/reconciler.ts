import {
  errorFacts,
  recordName,
  SyncError,
  type Actor,
  type Binding,
  type ErrorFacts,
  type Json,
  type Key,
  type RecordId,
  type ResourceName,
  type ServiceId,
  type StreamName,
} from "#model";
import type { MappedField, Stream } from "#mapping";
import { serviceIdOf, sameValue, type Service, type ServiceRecord } from "#service";
import type { SourceStream } from "#sources";
import {
  eachRecord,
  type ActStore,
  type IntakeStore,
  type MatchStore,
  type RecordStore,
  type RecordView,
  type SweepStore,
} from "#store";
import { unsharedKeys } from "../match/natural-key.ts";
import { isUnmerged, mergeOf } from "../counterpart/merges.ts";
import { Presence } from "../counterpart/presence.ts";
import { stageByKey } from "../stage/stage-by-key.ts";

/** One difference between the service and what svcsync left there. */
export type Drift =
  /** One of our fields holds another value than was last written. */
  | {
      readonly kind: "changed";
      readonly id: RecordId;
      readonly serviceId: ServiceId;
      readonly field: string;
      readonly written: Json;
      readonly found: Json;
    }
  /** A bound record was merged into another one, which has its natural key. The next write of the record continues there. */
  | { readonly kind: "merged"; readonly id: RecordId; readonly serviceId: ServiceId; readonly to: ServiceId }
  /** A bound record no longer exists. */
  | { readonly kind: "missing"; readonly id: RecordId; readonly serviceId: ServiceId }
  /** A row that the ERP shows and that neither a poll nor a sweep has read. */
  | { readonly kind: "unread"; readonly id: RecordId }
  /** An unbound service record has the natural key of a bound one, by a rule that no two records may share. */
  | {
      readonly kind: "doubled";
      readonly id: RecordId;
      readonly serviceId: ServiceId;
      readonly resource: ResourceName;
      readonly doubles: readonly ServiceId[];
    };

export interface Reconciliation {
  readonly stream: string;
  readonly compared: number;
  readonly drifts: readonly Drift[];
  /** Why the ERP's keys could not be compared with the known records. */
  readonly rowsUnknown?: ErrorFacts;
  /** How many records were made due again or read again. */
  readonly repaired: number;
}

type ReconcilerStore = RecordStore & MatchStore & IntakeStore & SweepStore & { readonly acts: Pick<ActStore, "save"> };

/**
 * Compares the service's records with what was last written, field by field, and the ERP's keys with the records that were read.
 * `repairBy` is the person who asks for a repair. It makes records that differ due again, which sends only the owned fields that
 * differ, and reads rows that were not read. Doubles are left to a person.
 */
export class Reconciler {
  readonly #store: ReconcilerStore;
  readonly #service: Pick<Service, "list">;
  readonly #presence: Presence;
  readonly #sources: ReadonlyMap<StreamName, SourceStream>;

  constructor(
    store: ReconcilerStore,
    service: Pick<Service, "list" | "read" | "vouch">,
    sources: ReadonlyMap<StreamName, SourceStream>,
  ) {
    this.#store = store;
    this.#sources = sources;
    this.#service = service;
    this.#presence = new Presence(store, service);
  }

  async reconcile(stream: Stream, repairBy: Actor | undefined, signal: AbortSignal): Promise<Reconciliation> {
    const changed: Drift[] = [];
    const seen = new Set<ServiceId>();
    // By natural key. There may be a million, so only the service id is kept, and the store is asked about the few doubles.
    const owners = new Map<string, ServiceId>();
    const strangers = new Map<string, ServiceId[]>();
    const fields = ["id", ...new Set([...stream.ownedFields, ...stream.match.flatMap((rule) => rule.fields)])];
    let compared = 0;
    for await (const page of this.#service.list(stream.resource, { fields }, signal))
      for (const record of page) {
        const serviceId = serviceIdOf(record);
        if (serviceId === undefined) continue;
        const view = await this.#owner({ resource: stream.resource, serviceId });
        if (view?.id.stream === stream.name) {
          compared += 1;
          seen.add(serviceId);
          changed.push(...(await changes(stream, view, record)));
          for (const key of keysOf(stream, record)) owners.set(key, serviceId);
        } else if (!view)
          for (const key of keysOf(stream, record)) {
            const others = strangers.get(key);
            if (others) others.push(serviceId);
            else strangers.set(key, [serviceId]);
          }
      }
    const missing = await this.#missing(stream, seen, signal);
    const { keys, error } = await this.#unread(stream.name, signal);
    const unread = keys.map((key) => ({ kind: "unread", id: { stream: stream.name, key } }) as const);
    const doubled = await this.#doubled(stream.resource, owners, strangers, signal);
    const drifts = [...changed, ...doubled, ...missing, ...unread];
    const repaired =
      repairBy === undefined
        ? 0
        : (await this.#repair(stream, drifts, repairBy)) + (await this.#read(stream.name, keys, repairBy, signal));
    return { stream: stream.name, compared, drifts, ...(error ? { rowsUnknown: error } : {}), repaired };
  }

  /** Returns the keys of rows that the ERP shows and the store lacks; none during a first load, which still reads them. */
  async #unread(name: StreamName, signal: AbortSignal): Promise<{ keys: Key[]; error?: ErrorFacts }> {
    const keys: Key[] = [];
    if ((await this.#store.stream(name)).firstLoad) return { keys };
    try {
      for await (const some of this.#sources.get(name)?.keys(signal) ?? [])
        keys.push(...(await this.#store.unseenKeys(name, some)));
      return { keys };
    } catch (thrown) {
      if (signal.aborted || !(thrown instanceof SyncError)) throw thrown;
      return { keys: [], error: errorFacts(thrown) };
    }
  }

  async #read(stream: StreamName, keys: readonly Key[], by: Actor, signal: AbortSignal): Promise<number> {
    const source = this.#sources.get(stream);
    if (source === undefined || keys.length === 0) return 0;
    await this.#store.acts.save(stream, { action: "reread", outcome: `${keys.length} rows that were not read` }, by);
    return (await stageByKey(this.#store, { stream, reads: source }, keys, { signal })).changed;
  }

  async #owner(binding: Binding): Promise<RecordView | undefined> {
    const id = await this.#store.boundTo(binding);
    return id && this.#store.record(id);
  }

  async #doubled(
    resource: ResourceName,
    owners: ReadonlyMap<string, ServiceId>,
    strangers: ReadonlyMap<string, ServiceId[]>,
    signal: AbortSignal,
  ): Promise<Drift[]> {
    const found = new Map<ServiceId, Drift>();
    for (const [key, others] of strangers) {
      const serviceId = owners.get(key);
      if (serviceId === undefined) continue;
      const doubles: ServiceId[] = [];
      for (const other of others)
        if (await isUnmerged(this.#presence, { resource, serviceId: other }, signal)) doubles.push(other);
      if (doubles.length === 0) continue;
      const id = await this.#store.boundTo({ resource, serviceId });
      if (!id) continue;
      const to = await mergeOf(this.#presence, { resource, serviceId }, signal);
      if (to === undefined) found.set(serviceId, { kind: "doubled", id, serviceId, resource, doubles });
      else found.set(serviceId, { kind: "merged", id, serviceId, to });
    }
    return [...found.values()];
  }

  /** Returns bound records that the list did not show. Reads each one, because a list may omit records that moved. */
  async #missing(stream: Stream, seen: ReadonlySet<ServiceId>, signal: AbortSignal): Promise<Drift[]> {
    const missing: Drift[] = [];
    for await (const view of eachRecord(this.#store, { stream: stream.name })) {
      const { id, binding } = view;
      if (binding && !seen.has(binding.serviceId) && !isLeftAlone(stream, view)) {
        const found = await this.#presence.read(binding.resource, binding.serviceId, ["id"], signal);
        if (!found) missing.push({ kind: "missing", id, serviceId: binding.serviceId });
      }
    }
    return missing;
  }

  async #repair(stream: Stream, drifts: readonly Drift[], by: Actor): Promise<number> {
    const repairs = new Map<string, Repair>();
    for (const drift of drifts) {
      if (drift.kind === "doubled" || drift.kind === "unread") continue;
      const { id, serviceId } = drift;
      const name = recordName(id);
      const entry = repairs.get(name) ?? { id, serviceId, fields: {}, before: {}, after: {} };
      if (drift.kind === "changed") {
        entry.fields[drift.field] = Array.isArray(drift.written) ? drift.written : null;
        entry.before[drift.field] = drift.found;
        entry.after[drift.field] = drift.written;
      }
      // Any write makes the delivery notice that the record is gone, where the stream's setting decides what follows, or merged.
      else for (const field of stream.ownedFields) entry.fields[field] = null;
      repairs.set(name, entry);
    }
    let repaired = 0;
    for (const { id, serviceId, fields, before, after } of repairs.values()) {
      const found = {
        action: "repair",
        resource: stream.resource,
        serviceId,
        before,
        after,
        outcome: "differed",
        by,
      } as const;
      if (await this.#store.recheck(id, fields, found)) repaired += 1;
    }
    return repaired;
  }
}

/** A record to be written again. Keeps what the service holds now, so that the record's history shows a person's edit. */
interface Repair {
  readonly id: RecordId;
  readonly serviceId: ServiceId;
  readonly fields: Record<string, Json>;
  readonly before: Record<string, Json>;
  readonly after: Record<string, Json>;
}

/** Returns the owned fields of one record that differ. Fields that are written at creation only, or only filled, belong to the service's users by now. */
async function changes(stream: Stream, view: RecordView, record: ServiceRecord): Promise<Drift[]> {
  const { applied, binding } = view;
  if (!applied || !binding) return [];
  const drifts: Drift[] = [];
  for (const { name, own, value } of await deliveredFields(stream, view)) {
    const written = applied[name];
    const found = record[name];
    if (own !== "always" || written === undefined || found === undefined) continue;
    if (value.kind === "tags" ? holdsAll(written, found) : sameValue(written, found)) continue;
    drifts.push({ kind: "changed", id: view.id, serviceId: binding.serviceId, field: name, written, found });
  }
  return drifts;
}

/** Whether svcsync no longer writes the record: the rules or a person leave it out, or the ERP deleted it and the service keeps it. */
function isLeftAlone({ deletion }: Stream, { state }: RecordView): boolean {
  return state === "skipped" || (state === "deleted" && deletion === "ignore");
}

/** Returns what the last delivery wrote: the mapped fields, or those that a deletion sets. */
async function deliveredFields(stream: Stream, { state, row, deleted }: RecordView): Promise<readonly MappedField[]> {
  if (state !== "applied" && state !== "deleted") return [];
  const mapped = await stream.map(row, deleted);
  if (state === "applied") return mapped.kind === "record" ? mapped.fields : [];
  return mapped.kind === "deleted" && mapped.policy === "set" ? mapped.fields : [];
}

/** Whether a shared array holds all of our ids. Other ids do not count. */
export function holdsAll(written: Json, found: Json): boolean {
  if (!Array.isArray(written) || !Array.isArray(found)) return false;
  return written.every((id) => found.some((other) => sameValue(id, other)));
}

function keysOf({ match }: Stream, record: ServiceRecord): string[] {
  return unsharedKeys(match, record).map(([rule, key]) => `${rule}\u0000${key}`);
}
