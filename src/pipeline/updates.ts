import { recordName, WaitError, type ResourceName } from "#model";
import type { Service, Written } from "#service";
import type { Claim, Store } from "#store";
import type { Difference } from "./difference.ts";
import { saysNotDone } from "./verdict.ts";

/** Among the doubts of a record: they come from a comparison with the service, and no update that carried them is under way. */
export const DRIFTED = "(drift)";

/**
 * Sends updates so that the latest wins although the service may carry out late what it was asked before: an update that
 * was not seen to end is in doubt, and what followed it is sent once more when the earlier one can no longer arrive.
 */
export class Updates {
  readonly #store: Pick<Store, "doubt">;
  readonly #service: Pick<Service, "update">;
  readonly #settleMs: number;
  /** When an update of a record was last sent and its end not seen. No wall clock: those are set. */
  readonly #unseenAt = new Map<string, number>();
  /** An update that a process before this one sent ended with it at the latest. */
  readonly #startedAt = performance.now();

  constructor(store: Pick<Store, "doubt">, service: Pick<Service, "update">, settleMs: number) {
    this.#store = store;
    this.#service = service;
    this.#settleMs = settleMs;
  }

  /**
   * Journals what the update carries, and sends it.
   * @throws {WaitError} E_UPDATE_UNSETTLED after a success, while an earlier update may still arrive: the record's fields
   * stay in doubt, so that they are sent again then.
   */
  async send(claim: Claim, resource: ResourceName, change: Difference, signal: AbortSignal): Promise<Written> {
    const name = recordName(claim.id);
    const { [DRIFTED]: drifted, ...doubts } = claim.doubts ?? {};
    const isInDoubt = drifted === undefined && Object.keys(doubts).length > 0;
    const unseenAt = isInDoubt ? (this.#unseenAt.get(name) ?? this.#startedAt) : undefined;
    await this.#store.doubt(claim, { ...doubts, ...change.doubts });
    let written: Written;
    try {
      written = await this.#service.update(resource, claim.binding!.serviceId, change.patch, signal);
    } catch (thrown) {
      // Our own stop is no word of the service, whatever it is called.
      if (signal.aborted || !saysNotDone(thrown)) this.#unseenAt.set(name, performance.now());
      // A refusal is certain: nothing was written. Arrays may have taken two requests, of which the first was not refused.
      else if (Object.keys(change.patch.arrays).length === 0) await this.#store.doubt(claim, claim.doubts ?? {});
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
    return written;
  }
}
