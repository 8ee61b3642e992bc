import { createHash } from "node:crypto";
import type { Clock } from "#model";

/** Failed logins of one user from one address before both have to wait. */
const guessesMax = 10;
/** How long they wait after the last failed login. */
const waitMs = 15 * 60_000;
/** Logins of one address that may be checked at the same time: each check takes a third of a second of one core. */
const checksMax = 10;
/** How long an address waits when that many of its logins are being checked. */
const busyMs = 5_000;
/** Users and addresses that are remembered; the oldest are forgotten first. */
const rememberedMax = 10_000;

/** Whose login is tried, and from where. */
export interface LoginAttempt {
  /** As it was typed; empty for a login with the token. */
  readonly user: string;
  readonly address: string;
}

export interface Wait {
  /** A sentence for the visitor. */
  readonly why: string;
  readonly ms: number;
}

/**
 * Counts failed logins by user and address. Guessing is stopped, but neither the user at other addresses nor other users behind
 * the same address, such as a proxy's, are locked out. Unknown users count like known ones.
 */
export class Guesses {
  readonly #clock: Clock;
  readonly #failures = new Map<string, { count: number; at: number }>();
  readonly #checks = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Why this user has to wait before the next attempt from this address; undefined if there is no need. */
  wait(attempt: LoginAttempt): Wait | undefined {
    if ((this.#checks.get(placeOf(attempt.address)) ?? 0) >= checksMax)
      return { why: "Too many logins from your address are being checked.", ms: busyMs };
    const failed = this.#failures.get(nameOf(attempt));
    if (failed === undefined || failed.count < guessesMax) return undefined;
    const ms = failed.at + waitMs - this.#clock.now();
    return ms <= 0 ? undefined : { why: "Too many failed logins with this name from your address.", ms };
  }

  /** Checks an attempt, which counts as a failure until it succeeds, so that concurrent guesses count too. */
  async checked<Proven>(attempt: LoginAttempt, check: () => Promise<Proven | undefined>): Promise<Proven | undefined> {
    this.#failed(attempt);
    const place = placeOf(attempt.address);
    this.#checks.set(place, (this.#checks.get(place) ?? 0) + 1);
    try {
      const proven = await check();
      if (proven !== undefined) this.#failures.delete(nameOf(attempt));
      return proven;
    } finally {
      const left = (this.#checks.get(place) ?? 1) - 1;
      if (left > 0) this.#checks.set(place, left);
      else this.#checks.delete(place);
    }
  }

  #failed(attempt: LoginAttempt): void {
    const name = nameOf(attempt);
    const now = this.#clock.now();
    const before = this.#failures.get(name);
    this.#failures.delete(name);
    const isFresh = before === undefined || before.at + waitMs <= now;
    this.#failures.set(name, { count: isFresh ? 1 : before.count + 1, at: now });
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > rememberedMax && oldest !== undefined) this.#failures.delete(oldest);
  }
}

/** A text of fixed length, whatever a visitor types as a name. */
function nameOf({ user, address }: LoginAttempt): string {
  return createHash("sha256")
    .update(JSON.stringify([user, placeOf(address)]))
    .digest("base64");
}

/** The unit that is counted: an IPv6 user has a whole /64. */
function placeOf(address: string): string {
  return address.includes(":") && !address.startsWith("::ffff:") ? address.split(":").slice(0, 4).join(":") : address;
}
