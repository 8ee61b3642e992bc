import { describe, expect, it } from "vitest";
import { Guesses } from "../../src/web/access/guesses.ts";
import { SetClock } from "../kit/clock.ts";

const minutes = 60_000;

async function fail(guesses: Guesses, user: string, address: string, times = 10) {
  for (let turn = 0; turn < times; turn++) await guesses.checked({ user, address }, () => Promise.resolve(undefined));
}

describe("guesses", () => {
  it("makes one user wait at one address, known or not, until 15 minutes after the last failure", async () => {
    const clock = new SetClock();
    const guesses = new Guesses(clock);
    await fail(guesses, "anna", "203.0.113.9", 9);
    expect(guesses.wait({ user: "anna", address: "203.0.113.9" })).toBeUndefined();
    await fail(guesses, "anna", "203.0.113.9", 1);
    await fail(guesses, "nobody", "203.0.113.9");

    for (const user of ["anna", "nobody"])
      expect(guesses.wait({ user, address: "203.0.113.9" })).toEqual({
        why: "Too many failed logins with this name from your address.",
        ms: 15 * minutes,
      });
    expect(guesses.wait({ user: "rolf", address: "203.0.113.9" })).toBeUndefined();
    expect(guesses.wait({ user: "anna", address: "198.51.100.7" })).toBeUndefined();
    clock.advance(15 * minutes);
    expect(guesses.wait({ user: "anna", address: "203.0.113.9" })).toBeUndefined();
  });

  it("forgets failures after a success, and counts the whole network of an IPv6 user", async () => {
    const guesses = new Guesses(new SetClock());
    await fail(guesses, "anna", "2001:db8:1:2:3::1", 9);
    await guesses.checked({ user: "anna", address: "2001:db8:1:2:3::1" }, () => Promise.resolve("anna"));
    await fail(guesses, "anna", "2001:db8:1:2:3::1", 9);
    expect(guesses.wait({ user: "anna", address: "2001:db8:1:2:ffff::9" })).toBeUndefined();
    await fail(guesses, "anna", "2001:db8:1:2:ffff::9", 1);
    expect(guesses.wait({ user: "anna", address: "2001:db8:1:2:4::1" })).toBeDefined();
  });

  it("keeps one address from occupying all checks with names that it makes up", async () => {
    const guesses = new Guesses(new SetClock());
    const checks = Array.from({ length: 10 }, (_, turn) => {
      const { promise, resolve } = Promise.withResolvers<undefined>();
      const done = guesses.checked({ user: `user ${turn}`, address: "203.0.113.9" }, () => promise);
      return { resolve, done };
    });

    expect(guesses.wait({ user: "anna", address: "203.0.113.9" })).toEqual({
      why: "Too many logins from your address are being checked.",
      ms: 5_000,
    });
    expect(guesses.wait({ user: "anna", address: "198.51.100.7" })).toBeUndefined();
    checks[0]!.resolve(undefined);
    await checks[0]!.done;
    expect(guesses.wait({ user: "anna", address: "203.0.113.9" })).toBeUndefined();
    for (const { resolve } of checks) resolve(undefined);
  });
});
