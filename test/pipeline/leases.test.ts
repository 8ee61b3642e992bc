import { describe, expect, it, vi } from "vitest";
import { RetryError } from "#model";
import { Leases } from "../../src/pipeline/deliver/leases.ts";
import { claimed } from "./claimed.ts";

/** A store that refuses every renewal with the code, and counts them. */
class Refusing {
  readonly #code: "E_STORE_LOCKED" | "E_CLAIM_LOST";
  count = 0;

  constructor(code: "E_STORE_LOCKED" | "E_CLAIM_LOST") {
    this.#code = code;
  }

  renew(): Promise<void> {
    this.count += 1;
    return Promise.reject(new RetryError(this.#code, "not now"));
  }
}

describe("leases", () => {
  it("go on renewing a claim when the store was locked for a moment", async () => {
    const store = new Refusing("E_STORE_LOCKED");
    using leases = new Leases(store, 30);
    leases.hold(claimed());
    await vi.waitFor(() => expect(store.count).toBeGreaterThan(2), { timeout: 120_000 });
  });

  it("forget a claim that is lost", async () => {
    const lost = new Refusing("E_CLAIM_LOST");
    const locked = new Refusing("E_STORE_LOCKED");
    using leases = new Leases({ renew: ({ token }) => (token === "t" ? lost : locked).renew() }, 30);
    leases.hold(claimed());
    leases.hold(claimed({ token: "other" }));
    await vi.waitFor(() => expect(locked.count).toBeGreaterThan(2), { timeout: 120_000 });
    expect(lost.count).toBe(1);
  });
});
