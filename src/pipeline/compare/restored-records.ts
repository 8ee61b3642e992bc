import type { Clock, Json, Projection } from "#model";
import type { Stream } from "#mapping";
import { serviceIdOf, sameValue, type Service, type ServiceRecord } from "#service";
import { eachRecord, type AuditEntry, type MatchStore, type RecordStore, type RecordView, type Store } from "#store";
import { holdsAll } from "./reconciler.ts";
import { Presence } from "../counterpart/presence.ts";

/** How much earlier than the last write that the store knows a record may have been changed: clocks differ, commits take time. */
const OVERLAP_MS = 10 * 60_000;
/** How many entries of the history are searched for the last write. */
const ENTRIES = 1_000;
/** The entries of what svcsync itself did in the service. */
const WRITES: ReadonlySet<AuditEntry["action"]> = new Set(["create", "update", "delete", "adopt", "settle"]);

export interface RestoredRecordsDeps {
  readonly store: RecordStore & MatchStore & Pick<Store, "audit">;
  readonly service: Pick<Service, "list" | "read" | "vouch" | "now">;
  readonly clock: Clock;
}

/**
 * Compares bound records with the service after the store was put back to an earlier state. It does not know what was written since:
 * where the ERP has gone back to the old value, nothing would ever be written again.
 */
export class RestoredRecords {
  readonly #deps: RestoredRecordsDeps;
  readonly #presence: Presence;

  constructor(deps: RestoredRecordsDeps) {
    this.#deps = deps;
    this.#presence = new Presence(deps.store, deps.service);
  }

  /**
   * Puts in doubt every owned field that differs in a record that changed since the store's last write, and every record that is gone.
   * The next delivery sends them, or finds out that the record is gone. Call it before deliveries begin.
   * @returns how many records differ.
   */
  async compare(stream: Stream, signal: AbortSignal): Promise<number> {
    const { store, service } = this.#deps;
    const since = await this.#lastWriteAt();
    const others = new Set([...stream.createOnlyFields, ...stream.emptyOnlyFields]);
    const fields = stream.ownedFields.filter((field) => !others.has(field));
    const seen = new Set<number>();
    let count = 0;
    for await (const page of service.list(stream.resource, { fields: ["id", "modified", ...fields] }, signal))
      for (const record of page) {
        const serviceId = serviceIdOf(record);
        if (serviceId === undefined) continue;
        seen.add(serviceId);
        if (isBefore(record, since)) continue;
        const id = await store.boundTo({ resource: stream.resource, serviceId });
        const view = id?.stream === stream.name ? await store.record(id) : undefined;
        if (view && (await this.#doubt(view, differing(view, record, fields)))) count += 1;
      }
    return count + (await this.#missing(stream, fields, seen, signal));
  }

  async #missing(stream: Stream, fields: readonly string[], seen: ReadonlySet<number>, signal: AbortSignal) {
    let count = 0;
    for await (const view of eachRecord(this.#deps.store, { stream: stream.name })) {
      const { binding } = view;
      if (!binding || seen.has(binding.serviceId)) continue;
      if (await this.#presence.read(binding.resource, binding.serviceId, ["id"], signal, view.applied)) continue;
      // Any write makes the delivery notice that the record is gone.
      if (await this.#doubt(view, Object.fromEntries(fields.map((field) => [field, [null, null]])))) count += 1;
    }
    return count;
  }

  /** Puts the fields in doubt. `found` has what was written last and what the service holds. */
  async #doubt({ id, binding }: RecordView, found: Readonly<Record<string, readonly [Json, Json]>>): Promise<boolean> {
    if (!binding || Object.keys(found).length === 0) return false;
    const part = (of: (sides: readonly [Json, Json]) => Json): Projection =>
      Object.fromEntries(Object.entries(found).map(([field, sides]) => [field, of(sides)]));
    const audit = {
      action: "repair",
      ...binding,
      before: part(([, held]) => held),
      after: part(([written]) => written),
      outcome: "differed after the store was restored",
    } as const;
    const doubts = part(([written]) => (Array.isArray(written) ? written : null));
    return this.#deps.store.recheck(id, doubts, audit, { anyState: true });
  }

  /** When the store last wrote to the service, by the service's clock; undefined if its history does not tell. */
  async #lastWriteAt(): Promise<number | undefined> {
    const { store, service, clock } = this.#deps;
    const entries = await store.audit({ limit: ENTRIES });
    const last = entries.find(({ action, by }) => WRITES.has(action) && by === undefined);
    return last && last.at + service.now() - clock.now();
  }
}

/** Whether the service shows that the record was last changed before then. */
function isBefore(record: ServiceRecord, since: number | undefined): boolean {
  const modified = record["modified"];
  return since !== undefined && typeof modified === "string" && Date.parse(modified) < since - OVERLAP_MS;
}

/** The fields that hold another value than was written last: that one, and the one in the service. */
function differing({ applied = {} }: RecordView, record: ServiceRecord, fields: readonly string[]) {
  const found: Record<string, readonly [Json, Json]> = {};
  for (const field of fields) {
    const [written, held] = [applied[field], record[field]];
    if (written === undefined || held === undefined) continue;
    if (!(Array.isArray(written) ? holdsAll(written, held) : sameValue(written, held))) found[field] = [written, held];
  }
  return found;
}
