import { randomUUID } from "node:crypto";
import { errorFacts, ParkError, WaitError, type Binding, type JsonObject, type ResourceName } from "#model";
import { isOneRequest, sameValue, type Service, type Written } from "#service";
import type { AuditEntry, BoundClaim, Claim, DeliveryStore, InFlight } from "#store";
import type { ExpectAct } from "../../approve/approved.ts";
import type { Difference } from "../../wanted/difference.ts";
import { linkId } from "../../counterpart/found-records.ts";
import { Remembered } from "../failures/remembered.ts";
import type { StoreAge } from "../../compare/store-age.ts";
import { provesNotExecuted } from "../failures/retry-decision.ts";

/** An update that was written, and what it replaced. */
export interface SentUpdate extends Written {
  /** The values before the update. If an earlier update was in doubt, these are the values as far as they are known. */
  readonly before: JsonObject;
}

/** The audit entry of an update. */
export function updateEntry(
  binding: Binding,
  sent: SentUpdate,
  { after }: Pick<Difference, "after">,
  outcome: string,
): AuditEntry {
  const { before, status, durationMs } = sent;
  return { action: "update", ...binding, before, after, outcome, status, durationMs };
}

/** An update of the record whose end was not seen. */
interface Unseen {
  /** The request's id as the store knows it. If the store has another id, another process has sent something since. */
  readonly request: string;
  /** When the request was last in flight, in milliseconds by a monotonic clock, because wall clocks can be set. */
  readonly at: number;
  /** What the record held before the update. Each repetition keeps it until the update is settled. */
  readonly before: JsonObject;
}

/**
 * Sends updates so that the latest one wins, although the service may carry out an earlier request late. An update whose end was
 * not seen is in doubt. Later updates are sent once more when it can no longer arrive.
 */
export class Updates {
  readonly #store: Pick<DeliveryStore, "markInFlight">;
  readonly #service: Pick<Service, "read" | "update" | "exposedMs">;
  readonly #settleMs: number;
  readonly #age: Pick<StoreAge, "tell">;
  readonly #expect: ExpectAct;
  readonly #unseen = new Remembered<Unseen>();

  constructor(
    store: Pick<DeliveryStore, "markInFlight">,
    service: Pick<Service, "read" | "update" | "exposedMs">,
    settleMs: number,
    age: Pick<StoreAge, "tell">,
    expect: ExpectAct,
  ) {
    this.#age = age;
    this.#expect = expect;
    this.#store = store;
    this.#service = service;
    this.#settleMs = settleMs;
  }

  /**
   * Journals what the update contains, then sends it.
   * @throws {WaitError} E_UPDATE_UNSETTLED after a success, while an earlier update may still arrive. The record's fields stay in
   * doubt, so that they are sent again later.
   */
  async send(claim: BoundClaim, resource: ResourceName, change: Difference, signal: AbortSignal): Promise<SentUpdate> {
    const { binding, inFlight } = claim;
    this.#expect(claim, { kind: "update", serviceId: binding.serviceId, fields: Object.keys(change.after) });
    const earlier = inFlight === undefined || inFlight.kind === "drift" ? undefined : this.#earlier(claim, inFlight);
    const before = earlier ? await this.#shownBefore(claim, resource, change, earlier, signal) : change.before;
    const mark: InFlight & Pick<Unseen, "request"> = {
      kind: inFlight?.kind === "deletion" ? "deletion" : "update",
      fields: { ...inFlight?.fields, ...change.doubts },
      request: randomUUID(),
    };
    await this.#age.tell(await this.#store.markInFlight(claim, mark), "writes");
    let written: Written;
    try {
      written = await this.#service.update(resource, binding.serviceId, change.patch, signal);
    } catch (thrown) {
      // After our own abort the error says nothing about the service, whatever its code.
      if (signal.aborted || !provesNotExecuted(thrown))
        this.#unseen.note(claim.id, { request: mark.request, at: performance.now(), before: earlier ? before : {} });
      // A refusal proves that nothing was written, unless the edit takes several requests: the first ones may have succeeded.
      else if (isOneRequest(resource, change.patch) || errorFacts(thrown).code === "E_MOVE_UNSUPPORTED")
        await this.#store.markInFlight(claim, inFlight);
      throw thrown;
    }
    const leftMs = earlier === undefined ? 0 : earlier.at + this.#settleMs - performance.now();
    if (earlier !== undefined && leftMs > 0) {
      // This update has ended. The one in doubt is still the earlier one.
      await this.#store.markInFlight(claim, { ...mark, request: earlier.request });
      this.#unseen.note(claim.id, { ...earlier, before });
      throw new WaitError(
        "E_UPDATE_UNSETTLED",
        "the record was written, but an earlier write may still arrive after it; the same is sent once more",
        { afterMs: Math.ceil(leftMs) },
      );
    }
    this.#unseen.forget(claim.id);
    return { ...written, before };
  }

  /**
   * Returns the update that is in doubt. If this process does not know it, another process sent it, no later than now: that process
   * has finished, or the store accepts nothing more from it. Requests of a lost process may be carried out as long as its token
   * lives.
   */
  #earlier({ id }: Claim, { request = randomUUID() }: InFlight): Unseen {
    const exposedMs = this.#service.exposedMs();
    const noted = this.#unseen.get(id);
    const known = noted?.request === request ? noted : undefined;
    if (known !== undefined && exposedMs === 0) return known;
    return this.#unseen.note(id, { request, at: performance.now() + exposedMs, before: known?.before ?? {} });
  }

  /**
   * Returns the values before the update, as the service shows them: a person may have written since the request in doubt. Keeps
   * the known value of a field that shows the new value, which may be our own write. Keeps all known values if the record may not
   * be read.
   */
  async #shownBefore(
    { binding }: BoundClaim,
    resource: ResourceName,
    { before, after }: Difference,
    earlier: Unseen,
    signal: AbortSignal,
  ): Promise<JsonObject> {
    const known = { ...before, ...earlier.before };
    const fields = Object.keys(after);
    const shown = await this.#service.read(resource, binding.serviceId, fields, signal).catch(unreadable);
    for (const field of fields) {
      const value = shown?.[field];
      if (value !== undefined && !sameValue(after[field], value)) known[field] = linkId(value);
    }
    return known;
  }
}

/** Lets an update be sent with a token that may write but not read. */
function unreadable(thrown: unknown): undefined {
  if (!(thrown instanceof ParkError)) throw thrown;
}
