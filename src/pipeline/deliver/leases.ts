import { errorFacts, ListenerSet } from "#model";
import type { Claim, DeliveryStore } from "#store";

/** Keeps the claims of running deliveries alive: one timer for all of them. */
export class Leases implements Disposable {
  readonly #held = new ListenerSet<Claim>();
  readonly #timer: NodeJS.Timeout;

  /** `leaseMs` is how long a claim lasts without renewal; renewals are a third of it apart. */
  constructor(store: Pick<DeliveryStore, "renew">, leaseMs: number) {
    this.#timer = setInterval(() => {
      this.#held.forEach((claim, leave) => {
        // A claim that is lost is noticed by its next step, which the store refuses. Any other trouble passes: next time.
        store.renew(claim).catch((thrown: unknown) => {
          if (errorFacts(thrown).code === "E_CLAIM_LOST") leave();
        });
      });
    }, leaseMs / 3);
    this.#timer.unref();
  }

  /** @returns what ends it. */
  hold(claim: Claim): () => void {
    return this.#held.add(claim);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
