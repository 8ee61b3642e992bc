import { ParkError, recordName, WaitError, type JsonObject, type ResourceName } from "#model";
import { sameValue, type Service, type Written } from "#service";
import type { BoundClaim, Claim, DeliveryStore } from "#store";
import type { Difference } from "./difference.ts";
import { linkId } from "../match/found-records.ts";
import { provesNotExecuted } from "./retry-decision.ts";

/** An update that was written, and what it replaced. */
export interface Sent extends Written {
  /** The values that were there before; as far as is known, where nothing was in doubt. */
  readonly before: JsonObject;
}

/**
 * Sends updates so that the latest wins although the service may carry out late what it was asked before: an update that
 * was not seen to end is in doubt, and what followed it is sent once more when the earlier one can no longer arrive.
 */
export class Updates {
  readonly #store: Pick<DeliveryStore, "markInFlight">;
  readonly #service: Pick<Service, "read" | "update" | "exposedMs">;
  readonly #settleMs: number;
  /** When an update of a record was last sent and its end not seen. No wall clock: those are set. */
  readonly #unseenAt = new Map<string, { readonly at: number; readonly sequence: number }>();
  /** What a record in doubt held before the update that is repeated until it is settled. */
  readonly #before = new Map<string, JsonObject>();

  constructor(
    store: Pick<DeliveryStore, "markInFlight">,
    service: Pick<Service, "read" | "update" | "exposedMs">,
    settleMs: number,
  ) {
    this.#store = store;
    this.#service = service;
    this.#settleMs = settleMs;
  }

  /**
   * Journals what the update carries, and sends it.
   * @throws {WaitError} E_UPDATE_UNSETTLED after a success, while an earlier update may still arrive: the record's fields
   * stay in doubt, so that they are sent again then.
   */
  async send(claim: BoundClaim, resource: ResourceName, change: Difference, signal: AbortSignal): Promise<Sent> {
    const name = recordName(claim.id);
    const { binding, inFlight } = claim;
    const isInDoubt = inFlight !== undefined && inFlight.kind !== "drift";
    const unseenAt = isInDoubt ? this.#unseenSince(claim) : undefined;
    const before = isInDoubt ? await this.#shownBefore(claim, resource, change, signal) : change.before;
    await this.#store.markInFlight(claim, {
      kind: inFlight?.kind === "deletion" ? "deletion" : "update",
      fields: { ...inFlight?.fields, ...change.doubts },
    });
    let written: Written;
    try {
      written = await this.#service.update(resource, binding.serviceId, change.patch, signal);
    } catch (thrown) {
      // Our own stop is no word of the service, whatever it is called.
      if (signal.aborted || !provesNotExecuted(thrown)) this.#noteUnseen(claim);
      // A refusal is certain: nothing was written. Arrays may have taken two requests, of which the first was not refused.
      else if (Object.keys(change.patch.arrays).length === 0) await this.#store.markInFlight(claim, inFlight);
      throw thrown;
    }
    const leftMs = unseenAt === undefined ? 0 : unseenAt + this.#settleMs - performance.now();
    if (leftMs > 0)
      throw new WaitError(
        "E_UPDATE_UNSETTLED",
        "the record was written, but an earlier write may still arrive after it; the same is sent once more",
        { afterMs: Math.ceil(leftMs) },
      );
    this.#unseenAt.delete(name);
    this.#before.delete(name);
    return { ...written, before };
  }

  /**
   * Another process may have sent an update until this one was told of it: then it ended, or the store lets it record nothing more.
   * What a lost one sends is carried out as long as its token lives.
   */
  #unseenSince(claim: Claim): number {
    const exposedMs = this.#service.exposedMs();
    const known = this.#unseenAt.get(recordName(claim.id));
    // What was known of an earlier change may have been settled elsewhere since.
    const isKnown = known?.sequence === claim.sequence && exposedMs === 0;
    return isKnown ? known.at : this.#noteUnseen(claim, exposedMs);
  }

  #noteUnseen({ id, sequence }: Claim, exposedMs = 0): number {
    const at = performance.now() + exposedMs;
    this.#unseenAt.set(recordName(id), { at, sequence });
    return at;
  }

  /**
   * What the service shows where the last write was not seen to end: a person may have written since. Of what we write
   * ourselves, and of what may not be read, the value before counts.
   */
  async #shownBefore(
    { id, binding }: BoundClaim,
    resource: ResourceName,
    { before, after }: Difference,
    signal: AbortSignal,
  ): Promise<JsonObject> {
    const known = { ...before, ...this.#before.get(recordName(id)) };
    const fields = Object.keys(after);
    const shown = await this.#service.read(resource, binding.serviceId, fields, signal).catch(unreadable);
    for (const field of fields) {
      const value = shown?.[field];
      if (value !== undefined && !sameValue(after[field], value)) known[field] = linkId(value);
    }
    this.#before.set(recordName(id), known);
    return known;
  }
}

/** A token that may write and not read keeps no update from being sent. */
function unreadable(thrown: unknown): undefined {
  if (!(thrown instanceof ParkError)) throw thrown;
}
