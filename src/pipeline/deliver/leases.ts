import { errorFacts, ListenerSet } from "#model";
import type { Claim, DeliveryStore } from "#store";

/** Renews the claims of running deliveries, with one timer for all of them. */
export class Leases implements Disposable {
  readonly #held = new ListenerSet<Claim>();
  readonly #timer: NodeJS.Timeout;

  /** `leaseMs` is how long a claim lasts without renewal. Claims are renewed every `leaseMs / 3`. */
  constructor(store: Pick<DeliveryStore, "renew">, leaseMs: number) {
    this.#timer = setInterval(() => {
      this.#held.forEach((claim, leave) => {
        // A lost claim is noticed at the delivery's next step, which the store refuses. After any other error the next renewal
        // tries again.
        store.renew(claim).catch((thrown: unknown) => {
          if (errorFacts(thrown).code === "E_CLAIM_LOST") leave();
        });
      });
    }, leaseMs / 3);
    this.#timer.unref();
  }

  /** @returns the function that stops the renewal. */
  hold(claim: Claim): () => void {
    return this.#held.add(claim);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
