import type { Clock } from "#model";

/** Failed logins allowed per address before it has to wait. */
const guessesMax = 10;
/** How long an address waits after its last failed login. */
const waitMs = 15 * 60_000;
/** Addresses that are remembered; the oldest are forgotten first. */
const addressesMax = 10_000;

/** Counts failed logins by address, which stops guessing without locking a user out at other addresses. */
export class Guesses {
  readonly #clock: Clock;
  readonly #failures = new Map<string, { count: number; at: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds until this address may try again; 0 means now. */
  waitMs(address: string): number {
    const failed = this.#failures.get(placeOf(address));
    if (failed === undefined || failed.count < guessesMax) return 0;
    return Math.max(0, failed.at + waitMs - this.#clock.now());
  }

  /** Counts an attempt, which is a failure until it succeeds. */
  tried(address: string): void {
    const place = placeOf(address);
    const now = this.#clock.now();
    const before = this.#failures.get(place);
    this.#failures.delete(place);
    const isFresh = before === undefined || before.at + waitMs <= now;
    this.#failures.set(place, { count: isFresh ? 1 : before.count + 1, at: now });
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > addressesMax && oldest !== undefined) this.#failures.delete(oldest);
  }

  succeeded(address: string): void {
    this.#failures.delete(placeOf(address));
  }
}

/** The unit that is counted: an IPv6 user has a whole /64. */
function placeOf(address: string): string {
  return address.includes(":") && !address.startsWith("::ffff:") ? address.split(":").slice(0, 4).join(":") : address;
}
