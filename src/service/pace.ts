import { sleep, WaitError } from "#model";

/** Limits are told per second, as far as they are known. */
const WINDOW_MS = 1_000;
/** How long to stay away from a busy service that does not say. */
const PAUSE_MS = 1_000;
/** Longer pauses are left to the caller: a worker should not sleep long. */
const LONGEST_TURN_MS = 2_000;
/** What is aimed at, of what the service let pass: requests do not arrive as evenly as they are sent. */
const MARGIN = 0.975;
/** Without a refusal for so long, the limit may have become higher: the rate grows until the next refusal. */
const PROBE_AFTER_MS = 60_000;
const PROBE_EVERY_MS = 5_000;
const PROBE_GROWTH = 1.05;
const RECOVER_EVERY_MS = 1_000;
const RECOVER_GROWTH = 1.01;

/**
 * Holds the whole client to the rate that the service allows. Nothing is known of a limit until the first 429: that one holds
 * all requests back for as long as it says, and what was let pass within the second before it is the rate from then on.
 */
export class Pace {
  readonly #now: () => number;
  /** Requests per second; infinite until the service has refused one as too many. */
  #rate = Number.POSITIVE_INFINITY;
  /** The rate that is returned to after a refusal at about the limit, such as bunched arrivals cause. */
  #target = Number.POSITIVE_INFINITY;
  #holdUntil = 0;
  /** When the next turn is, by the rate. */
  #nextAt = 0;
  #probeAt = 0;
  #recoverAt = 0;
  /** The refusal that the rate is still to be made of, once everything that was under way is answered. */
  #refusedAt: number | undefined;
  /** When the requests of the last second were sent that the service let pass. */
  #passed: number[] = [];

  /** @param now milliseconds of a monotonic clock. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Requests per second that are sent at most; infinite while no limit is known. */
  get rate(): number {
    return this.#rate;
  }

  /**
   * Resolves when it is a request's turn, in the order of the calls.
   * @throws {WaitError} E_SERVICE_BUSY when the service asked for more patience than a worker has.
   */
  async turn(signal: AbortSignal): Promise<void> {
    for (;;) {
      const waitMs = this.reserve();
      if (waitMs <= 0) return;
      if (waitMs > LONGEST_TURN_MS && this.#holdUntil > this.#now() + LONGEST_TURN_MS)
        throw new WaitError("E_SERVICE_BUSY", "the service asked to be left alone for a while", {
          afterMs: Math.ceil(waitMs),
        });
      await sleep(Math.ceil(waitMs), signal);
      signal.throwIfAborted();
      // A refusal may have come meanwhile, which holds this turn back too.
      if (this.#holdUntil <= this.#now()) return;
    }
  }

  /** Takes the next turn and tells in how many milliseconds it is. */
  reserve(): number {
    const now = this.#now();
    if (now >= this.#holdUntil) this.#adapt(now);
    const at = Math.max(now, this.#holdUntil, this.#nextAt);
    this.#nextAt = at + 1_000 / this.#rate;
    return at - now;
  }

  /** The service let a request pass that was sent at `sentAt`. */
  passed(sentAt: number): void {
    this.#passed.push(sentAt);
    if (this.#refusedAt !== undefined) return;
    while (this.#passed[0]! < sentAt - WINDOW_MS) this.#passed.shift();
  }

  /** The service refused a request as one too many, and asked for this pause. */
  refused(sentAt: number, pauseMs = PAUSE_MS): void {
    const now = this.#now();
    this.#holdUntil = Math.max(this.#holdUntil, now + pauseMs);
    // Turns that were taken are taken anew after the pause.
    this.#nextAt = this.#holdUntil;
    this.#refusedAt ??= sentAt;
  }

  #adapt(now: number): void {
    if (this.#refusedAt !== undefined) {
      const from = this.#refusedAt - WINDOW_MS;
      const passed = this.#passed.filter((sentAt) => sentAt > from).length;
      const estimate = Math.max(1, passed * MARGIN);
      this.#target = passed < this.#rate ? estimate : Math.min(this.#target, estimate);
      this.#rate = Math.max(1, Math.min(this.#rate * MARGIN, this.#target));
      this.#refusedAt = undefined;
      this.#passed = [];
      this.#probeAt = now + PROBE_AFTER_MS;
      this.#recoverAt = now + RECOVER_EVERY_MS;
    } else if (now >= this.#recoverAt && this.#rate < this.#target) {
      this.#rate = Math.min(this.#target, this.#rate * RECOVER_GROWTH);
      this.#recoverAt = now + RECOVER_EVERY_MS;
    } else if (now >= this.#probeAt && Number.isFinite(this.#rate)) {
      this.#rate *= PROBE_GROWTH;
      this.#target = this.#rate;
      this.#probeAt = now + PROBE_EVERY_MS;
    }
  }
}
