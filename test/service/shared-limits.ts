import type { ServiceLimits } from "../../src/service/contract.ts";

const ROUNDING_MS = 100;
const LEARNING_MS = 1_000;

interface Member {
  rate: number | undefined;
  known: number | undefined;
}

/** What the store does with what replicas of equal shares tell of the service's refusals (`hear_limits` and `grant_rates`). The first one leads. */
export class SharedLimits {
  readonly #now: () => number;
  readonly #members: Member[];
  #pausedUntil = -Infinity;
  #rate: number | undefined;

  constructor(clients: number, now: () => number) {
    this.#now = now;
    this.#members = Array.from({ length: clients }, () => ({ rate: undefined, known: undefined }));
  }

  /** A heartbeat: what the client tells, and what it hears. */
  beat(at: number, { pausedMs, rate }: ServiceLimits): ServiceLimits {
    const now = this.#now();
    const member = this.#members[at]!;
    if (rate !== undefined && rate !== member.known) {
      this.#rate = Math.max(1, (this.#rate ?? 0) + rate - (member.known ?? 0));
      member.rate = rate;
    }
    if (pausedMs > 0 && this.#pausedUntil < now + pausedMs - ROUNDING_MS) this.#pausedUntil = now + pausedMs;
    if (at === 0) this.#grant(now);
    member.known = member.rate;
    return { pausedMs: Math.max(0, this.#pausedUntil - now), rate: member.rate };
  }

  #grant(now: number): void {
    if (this.#rate === undefined || this.#pausedUntil >= now - LEARNING_MS) return;
    const part = Math.max(1, Math.floor(this.#rate / this.#members.length));
    for (const member of this.#members) member.rate = part;
    this.#members[0]!.rate = Math.max(1, this.#rate - part * (this.#members.length - 1));
  }
}
