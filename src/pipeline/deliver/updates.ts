import { randomUUID } from "node:crypto";
import { ParkError, WaitError, type Binding, type JsonObject, type ResourceName } from "#model";
import { sameValue, type Service, type Written } from "#service";
import type { AuditEntry, BoundClaim, Claim, DeliveryStore, InFlight } from "#store";
import type { Difference } from "./difference.ts";
import { linkId } from "../match/found-records.ts";
import { Remembered } from "./remembered.ts";
import { provesNotExecuted } from "./retry-decision.ts";

/** An update that was written, and what it replaced. */
export interface Sent extends Written {
  /** The values that were there before; as far as is known, where nothing was in doubt. */
  readonly before: JsonObject;
}

/** What the audit trail says of an update. */
export function updateEntry(binding: Binding, sent: Sent, { after }: Difference, outcome: string): AuditEntry {
  const { before, status, durationMs } = sent;
  return { action: "update", ...binding, before, after, outcome, status, durationMs };
}

/** The update of a record whose end was not seen. */
interface Unseen {
  /** As the store knows it: another name there says that another process has sent something since. */
  readonly request: string;
  /** When it was last on its way. No wall clock: those are set. */
  readonly at: number;
  /** What the record held before the update, which is repeated until it is settled. */
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
  readonly #unseen = new Remembered<Unseen>();

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
    const { binding, inFlight } = claim;
    const earlier = inFlight === undefined || inFlight.kind === "drift" ? undefined : this.#earlier(claim, inFlight);
    const before = earlier ? await this.#shownBefore(claim, resource, change, earlier, signal) : change.before;
    const mark: InFlight & Pick<Unseen, "request"> = {
      kind: inFlight?.kind === "deletion" ? "deletion" : "update",
      fields: { ...inFlight?.fields, ...change.doubts },
      request: randomUUID(),
    };
    await this.#store.markInFlight(claim, mark);
    let written: Written;
    try {
      written = await this.#service.update(resource, binding.serviceId, change.patch, signal);
    } catch (thrown) {
      // Our own stop is no word of the service, whatever it is called.
      if (signal.aborted || !provesNotExecuted(thrown))
        this.#unseen.note(claim.id, { request: mark.request, at: performance.now(), before: earlier ? before : {} });
      // A refusal is certain: nothing was written. Arrays may have taken two requests, of which the first was not refused.
      else if (Object.keys(change.patch.arrays).length === 0) await this.#store.markInFlight(claim, inFlight);
      throw thrown;
    }
    const leftMs = earlier === undefined ? 0 : earlier.at + this.#settleMs - performance.now();
    if (earlier !== undefined && leftMs > 0) {
      // This one has ended; the one that has not is still the earlier one.
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
   * The update that is in doubt. One that this process does not know was sent, by another one, until now at the latest: then it
   * ended, or the store lets it record nothing more. What a lost one sends is carried out as long as its token lives.
   */
  #earlier({ id }: Claim, { request = randomUUID() }: InFlight): Unseen {
    const exposedMs = this.#service.exposedMs();
    const noted = this.#unseen.get(id);
    const known = noted?.request === request ? noted : undefined;
    if (known !== undefined && exposedMs === 0) return known;
    return this.#unseen.note(id, { request, at: performance.now() + exposedMs, before: known?.before ?? {} });
  }

  /**
   * What the service shows where the last write was not seen to end: a person may have written since. Of what we write
   * ourselves, and of what may not be read, the value before counts.
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

/** A token that may write and not read keeps no update from being sent. */
function unreadable(thrown: unknown): undefined {
  if (!(thrown instanceof ParkError)) throw thrown;
}
