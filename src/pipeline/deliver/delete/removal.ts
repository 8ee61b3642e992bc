import {
  counted,
  recordName,
  SyncError,
  type Projection,
  type RecordId,
  type ServiceId,
  type StreamName,
} from "#model";
import type { MappedField, Stream } from "#mapping";
import type { Service } from "#service";
import type {
  AuditEntry,
  BoundClaim,
  Claim,
  DeliveryStore,
  InFlight,
  NoteStore,
  RecordStore,
  UnboundClaim,
} from "#store";
import type { ExpectAct } from "../../approve/approved.ts";
import type { Action, SetFields } from "../../decide/action.ts";
import { childrenFirst, STILL_BELOW } from "../../decide/children.ts";
import { unbound } from "../../decide/preconditions.ts";
import { deletedChildren } from "./deleted-children.ts";
import { fieldDropped } from "../update/lost-fields.ts";
import type { DroppedFields } from "../update/dropped-fields.ts";
import type { MergedTickets } from "../update/merged-tickets.ts";
import { MergedError } from "../../counterpart/merged-error.ts";
import { standingChildren } from "../../counterpart/merges.ts";
import type { Presence } from "../../counterpart/presence.ts";
import { ParentMissing, type Resolver, type Wanted } from "../../wanted/resolver.ts";
import { provesNotExecuted } from "../failures/retry-decision.ts";
import { updateEntry, type Updates } from "../update/updates.ts";
import type { StoreAge } from "../../compare/store-age.ts";

/**
 * A parent's deletion is woken when its last child is deleted. It also checks again after this delay, which doubles each time, for
 * children that were removed in another way.
 */
const CHILDREN_AGAIN_MS = 10_000;
const CHILDREN_AGAIN_MAX_MS = 3_600_000;

export interface RemoverDeps {
  readonly store: DeliveryStore & RecordStore & NoteStore;
  readonly service: Pick<Service, "remove">;
  readonly presence: Presence;
  readonly resolver: Resolver;
  readonly updates: Updates;
  readonly age: Pick<StoreAge, "tell">;
  readonly dropped: DroppedFields;
  readonly merged: Pick<MergedTickets, "follow" | "expectForeign">;
  readonly streams: ReadonlyMap<StreamName, Stream>;
  readonly expect: ExpectAct;
}

/** Carries out what was decided about a record that the ERP deleted. Children are deleted before their parents. */
export class Remover {
  readonly #deps: RemoverDeps;
  /** The next pause of each parent that waits for its children. */
  readonly #pausesMs = new Map<string, number>();

  constructor(deps: RemoverDeps) {
    this.#deps = deps;
  }

  /**
   * @throws {WaitError} E_CHILDREN_FIRST while children that are deleted too are still in the service or have not been looked up there.
   */
  async expectChildless(claim: Claim): Promise<void> {
    const { store, streams } = this.#deps;
    this.#expectNone(claim, await standingChildren(store, claim.id), "record", STILL_BELOW);
    const sought = await deletedChildren(store, streams, claim.id);
    this.#expectNone(claim, sought, "deleted record", "still to be looked for in the service");
    this.forget(claim);
  }

  /** Forgets how long the record's deletion has waited for children. */
  forget({ id }: Claim): void {
    if (this.#pausesMs.size > 0) this.#pausesMs.delete(recordName(id));
  }

  async delete(claim: BoundClaim, signal: AbortSignal): Promise<void> {
    await this.#deps.store.end(claim, { kind: "remove", unbind: true, audit: await this.#removed(claim, signal) });
  }

  /**
   * Ends the deletion of a record whose ticket was merged into another one.
   * @throws {ParkError} E_TICKET_MERGED when that one belongs to no other record: a person decides about it.
   */
  async endMerged(claim: BoundClaim, to: ServiceId, signal: AbortSignal): Promise<void> {
    const { store, merged } = this.#deps;
    await store.end(claim, { kind: "remove", unbind: true, audit: await merged.expectForeign(claim, to, signal) });
  }

  #expectNone(claim: Claim, children: readonly RecordId[], noun: string, where: string): void {
    if (children.length === 0) return;
    throw childrenFirst(children, `${counted(children.length, noun)} ${where}`, this.#pauseMs(claim));
  }

  #pauseMs({ id }: Claim): number {
    const pauseMs = this.#pausesMs.get(recordName(id)) ?? CHILDREN_AGAIN_MS;
    this.#pausesMs.set(recordName(id), Math.min(CHILDREN_AGAIN_MAX_MS, 2 * pauseMs));
    return pauseMs;
  }

  /**
   * Deletes the service's record for good although the ERP still has the record: its place is wrong, or the service may have carried out a
   * deletion already that was begun. Returns the claim unbound.
   */
  async end(claim: BoundClaim, signal: AbortSignal): Promise<UnboundClaim> {
    await this.#deps.store.unbind(claim, await this.#removed(claim, signal));
    return unbound(claim);
  }

  /** Journals the deletion and requests it. If it was certainly not carried out, the journal is restored: there is nothing to finish. */
  async #removed(claim: BoundClaim, signal: AbortSignal): Promise<AuditEntry> {
    const { store, age, expect } = this.#deps;
    expect(claim, { kind: "delete", serviceId: claim.binding.serviceId });
    const writes = await store.markInFlight(claim, { kind: "deletion", fields: claim.inFlight?.fields ?? {} });
    await age.tell(writes, "writes");
    try {
      return await this.#requested(claim, signal);
    } catch (thrown) {
      if (!signal.aborted && provesNotExecuted(thrown)) await store.markInFlight(claim, claim.inFlight);
      throw thrown;
    }
  }

  async #requested(claim: BoundClaim, signal: AbortSignal): Promise<AuditEntry> {
    const { service, presence } = this.#deps;
    const { resource, serviceId } = claim.binding;
    const { status, durationMs } = await service.remove(resource, serviceId, signal);
    if (status >= 400) await presence.expectGone(claim.binding, signal);
    return {
      action: "delete",
      resource,
      serviceId,
      before: { ...claim.applied },
      outcome: "deleted",
      status,
      durationMs,
    };
  }

  /**
   * Sets the fields of a deletion. "adopted": the record's ticket was merged into another one, which the record is bound to now; the deletion
   * is due again.
   */
  async setFields(
    claim: BoundClaim,
    stream: Stream,
    { deletion, wanted, edited: { projection: applied, change } }: Extract<Action, { kind: "setFields" }>,
    signal: AbortSignal,
  ): Promise<"deleted" | "adopted"> {
    const { store, updates, dropped, presence } = this.#deps;
    // The other fields stay in doubt: if the record comes back, it must be written in full.
    const inFlight = without(claim.inFlight, wanted.projection);
    if (!change) {
      await store.end(claim, { kind: "remove", unbind: false, applied, inFlight });
      return "deleted";
    }
    try {
      const written = await updates.send(claim, stream.resource, change, signal);
      if (written.mergedTo !== undefined) return await this.follow(claim, stream, deletion, written.mergedTo, signal);
      const { lost, after } = await dropped.settle(stream, wanted, written, change, signal);
      if (lost.length > 0) throw fieldDropped(stream.resource, claim.binding.serviceId, lost);
      const audit = updateEntry(claim.binding, written, { after }, "deleted");
      await store.end(claim, { kind: "remove", unbind: false, applied, inFlight, audit });
    } catch (thrown) {
      if (!(thrown instanceof SyncError) || thrown.code !== "E_RECORD_GONE") throw thrown;
      await presence.expectGone(claim.binding, signal);
      // ERP and service agree that the record is gone.
      await store.end(claim, { kind: "remove", unbind: true });
    }
    return "deleted";
  }

  /** Binds the record to the ticket that is left, which gets the fields then. One that cannot become its counterpart is left alone. */
  async follow(
    claim: BoundClaim,
    stream: Stream,
    { fields }: SetFields,
    into: ServiceId,
    signal: AbortSignal,
  ): Promise<"deleted" | "adopted"> {
    const { store, merged } = this.#deps;
    try {
      await merged.follow(claim, stream, await this.#identified(claim, stream, fields, signal), into, signal);
      return "adopted";
    } catch (thrown) {
      if (!(thrown instanceof MergedError)) throw thrown;
      const audit = thrown.audit && { ...thrown.audit, outcome: "deleted" };
      await store.end(claim, { kind: "remove", unbind: false, ...(audit && { audit }) });
      return "deleted";
    }
  }

  /** The fields that the deletion sets, and those that tell whether a ticket is the record's: as far as its parents are known. */
  async #identified(
    { id, row }: BoundClaim,
    stream: Stream,
    fields: readonly MappedField[],
    signal: AbortSignal,
  ): Promise<Wanted> {
    const { resolver } = this.#deps;
    const names = new Set(fields.map(({ name }) => name));
    const identity = (await stream.identify(row)).filter(({ name }) => !names.has(name));
    try {
      return await resolver.resolve(id, [...identity, ...fields], signal);
    } catch (thrown) {
      if (!(thrown instanceof ParentMissing)) throw thrown;
      return resolver.resolve(id, fields, signal);
    }
  }
}

function without(inFlight: InFlight | undefined, settled: Projection): InFlight | undefined {
  if (inFlight === undefined) return undefined;
  const { kind } = inFlight;
  const left = Object.entries(inFlight.fields).filter(([name]) => !(name in settled));
  return left.length === 0 && kind !== "deletion" ? undefined : { kind, fields: Object.fromEntries(left) };
}
