import type { Binding, Json, Projection, ServiceId } from "#model";
import type { Stream } from "#mapping";
import type { AuditEntry, BoundClaim, DeliveryStore, NoteStore, RecordStore } from "#store";
import { merged, MergedError, mergeEntry, notDeleted } from "../../counterpart/merged-error.ts";
import { expectFree, mergedBefore, mergeOf, type Merges } from "../../counterpart/merges.ts";
import { linkId, ownedPart } from "../../counterpart/found-records.ts";
import { naturalKey } from "../../match/natural-key.ts";
import type { Presence } from "../../counterpart/presence.ts";
import type { ExpectAct } from "../../approve/approved.ts";
import type { Wanted } from "../../wanted/resolver.ts";

export interface MergedTicketsDeps {
  readonly store: Pick<DeliveryStore, "end" | "markInFlight"> &
    Pick<RecordStore, "boundTo" | "record"> &
    Pick<NoteStore, "note">;
  readonly presence: Pick<Presence, "read">;
  readonly merges: Merges;
  readonly expect: ExpectAct;
}

/**
 * Gives a record whose ticket was merged in the service the ticket that is left. Its fields are compared with what that ticket
 * holds, and tags that svcsync had put on the merged one stay ours.
 */
export class MergedTickets {
  readonly #deps: MergedTicketsDeps;

  constructor(deps: MergedTicketsDeps) {
    this.#deps = deps;
  }

  /** The ticket that the record's own is known to be merged into. */
  known(binding: Binding): Promise<ServiceId | undefined> {
    return this.#deps.merges.known(binding);
  }

  /**
   * Binds the record to the ticket that its own was merged into. It is due again then, and so is what refers to it.
   * @throws {ParkError} E_TICKET_MERGED when that ticket belongs to another record of the ERP, or cannot be found.
   */
  async follow(
    claim: BoundClaim,
    stream: Stream,
    wanted: Wanted,
    first: ServiceId,
    signal: AbortSignal,
  ): Promise<void> {
    const { store, merges, expect } = this.#deps;
    const survivor = await merges.survivor(claim.binding, first, signal);
    // Before anything can fail: what refers to the merged ticket belongs to the one that is left.
    await merges.keep(claim.id, claim.binding, survivor);
    const binding = { ...claim.binding, serviceId: survivor };
    try {
      await expectFree(store, claim.id, claim.binding, survivor);
      expect(claim, { kind: "adopt", serviceId: survivor });
      const projection = await this.#held(claim, stream, wanted, binding, signal);
      const audit = mergeEntry(claim.binding, survivor, "rebound");
      const applied = { projection, outcome: "adopted", parents: wanted.parents, again: true, audit } as const;
      await store.end(claim, { kind: "bind", binding, applied });
    } catch (thrown) {
      if (!(thrown instanceof MergedError)) throw thrown;
      // The edit ended at the merged ticket: it is sent again to the ticket that a person chooses.
      await store.markInFlight(claim, undefined);
      throw thrown.with(mergeEntry(claim.binding, survivor, "parked"));
    }
  }

  /** The ticket that the record's own was merged into, as far as it is known or the ticket itself shows it now. */
  async shownInto(binding: Binding, signal: AbortSignal): Promise<ServiceId | undefined> {
    return (await this.known(binding)) ?? mergeOf(this.#deps.presence, binding, signal);
  }

  /**
   * Ends the deletion of a record whose ticket was merged. The ticket that is left is never deleted: it holds what others wrote.
   * @throws {ParkError} E_TICKET_MERGED when that ticket belongs to no other record of the ERP: a person decides about it.
   */
  async expectForeign(claim: BoundClaim, first: ServiceId, signal: AbortSignal): Promise<AuditEntry> {
    const { store, merges } = this.#deps;
    let survivor = first;
    try {
      survivor = await merges.survivor(claim.binding, first, signal);
      await merges.keep(claim.id, claim.binding, survivor);
      await expectFree(store, claim.id, claim.binding, survivor);
    } catch (thrown) {
      if (!(thrown instanceof MergedError)) throw thrown;
      return mergeEntry(claim.binding, survivor, "deleted");
    }
    throw notDeleted(claim.binding, survivor);
  }

  /** The ticket whose merge led to the one that the record is bound to, as long as the service has that one: it holds what others wrote. */
  async before({ id, binding }: BoundClaim, signal: AbortSignal): Promise<ServiceId | undefined> {
    const { store, presence } = this.#deps;
    const former = await mergedBefore(store, id, binding);
    if (former === undefined) return undefined;
    const left = await presence.read(binding.resource, binding.serviceId, ["id"], signal);
    return left && former;
  }

  /** Our fields as the ticket that is left holds them. */
  async #held(
    { applied = {}, inFlight, binding: former }: BoundClaim,
    { match }: Stream,
    wanted: Wanted,
    { resource, serviceId }: Binding,
    signal: AbortSignal,
  ): Promise<Projection> {
    const { projection, shared } = wanted;
    const fields = new Set([...Object.keys(projection), ...match.flatMap((rule) => rule.fields)]);
    const record = await this.#deps.presence.read(resource, serviceId, [...fields], signal, projection);
    if (record === undefined) throw merged(resource, former.serviceId, serviceId, "which does not exist any more");
    const rule = match.find((each) => naturalKey(each, projection) !== undefined);
    const key = rule && naturalKey(rule, record);
    if (key !== undefined && key !== naturalKey(rule!, projection))
      throw merged(resource, former.serviceId, serviceId, `which has another key (${rule!.fields.join(", ")}: ${key})`);
    const held: Record<string, Json> = { ...ownedPart(record, wanted) };
    for (const name of shared) {
      const ours = new Set([applied[name], inFlight?.fields[name], projection[name]].flatMap(idsOf));
      held[name] = idsOf(record[name]).filter((id) => ours.has(id));
    }
    return held;
  }
}

function idsOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value.map(linkId) : [];
}
