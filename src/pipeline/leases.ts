import { errorFacts } from "#model";
import type { Claim, Store } from "#store";

/** Keeps the claims of running deliveries alive: one timer for all of them. */
export class Leases implements Disposable {
  readonly #held = new Map<string, Claim>();
  readonly #timer: NodeJS.Timeout;

  /** `leaseMs` is how long a claim lasts by itself; a third of it passes between renewals. */
  constructor(store: Pick<Store, "renew">, leaseMs: number) {
    this.#timer = setInterval(() => {
      for (const claim of this.#held.values()) {
        // A claim that is lost is noticed by its next step, which the store refuses. Any other trouble passes: next time.
        store.renew(claim).catch((thrown: unknown) => {
          if (errorFacts(thrown).code === "E_CLAIM_LOST") this.#held.delete(claim.token);
        });
      }
    }, leaseMs / 3);
    this.#timer.unref();
  }

  hold(claim: Claim): void {
    this.#held.set(claim.token, claim);
  }

  drop(claim: Claim): void {
    this.#held.delete(claim.token);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
