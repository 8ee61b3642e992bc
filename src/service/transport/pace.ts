import { onAbort, WaitError } from "#model";
import type { ServiceLimits } from "../contract.ts";
import { Rate, type Turn } from "./rate.ts";
import { WaitingLine } from "./waiting-line.ts";

/** Pause after a 429 that states none. Each probe that is refused or unanswered doubles it. */
const PAUSE_MS = 1_000;
const PAUSE_MAX_MS = 60_000;
/** A longer Retry-After is treated as a mistake at first. Once the probe gets the same answer, up to one hour is accepted. */
const ASKED_MAX_MS = 5 * 60_000;
const CONFIRMED_MAX_MS = 60 * 60_000;
/** A pause that ends this little later than a known one is the same pause, reported by others. */
const ROUNDING_MS = 100;
/** Longer waits are left to the caller: a record that waits in the store can be inspected, skipped and overtaken. */
const LONGEST_TURN_MS = 15_000;

interface Waiting {
  readonly go: (turn: Turn) => void;
  readonly fail: (error: WaitError) => void;
}

/**
 * Keeps the whole client within the rate that the service allows:
 *
 * 1. Nothing is held back until the first 429.
 * 2. A 429 holds back all requests for as long as it says. Then one request probes, and the others follow once it was
 * answered.
 * 3. After the first 429, no more requests are sent within any second than the service accepted ({@link Rate}). Requests
 * that a pause has delayed are sent right after it, unless the service refuses that.
 * 4. After a pause of more than some seconds, requests are sent one at a time once as many have passed as before the
 * pause.
 */
export class Pace {
  readonly #now: () => number;
  readonly #rate = new Rate();
  #holdUntil = 0;
  /** Until when this client itself was asked to pause. */
  #askedUntil = 0;
  #granted: number | undefined;
  #onPause = () => {};
  #pauseMs = PAUSE_MS;
  /** The total length of the current hold; undefined when there is none. */
  #heldMs: number | undefined;
  /** The first refused request, until the hold is over. */
  #refused: Turn | undefined;
  #probe: "none" | "due" | Turn = "none";
  #isDraining = false;
  #isPatient = true;
  readonly #waiting = new WaitingLine<Waiting>();
  #timer: NodeJS.Timeout | undefined;

  /** @param now milliseconds of a monotonic clock. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** The most requests sent per second; infinite while no limit is known. */
  get perSecond(): number {
    return this.#rate.perSecond;
  }

  /** Milliseconds for which nothing is sent because the service asked for a pause. */
  get holdMs(): number {
    return Math.max(0, this.#holdUntil - this.#now());
  }

  /** What this client's own 429 answers revealed. */
  get limits(): ServiceLimits {
    return { pausedMs: Math.ceil(Math.max(0, this.#askedUntil - this.#now())), rate: this.#rate.known };
  }

  /** Obeys what the 429 answers of all clients revealed: the service counts them as one. */
  setLimits({ pausedMs, rate }: ServiceLimits): void {
    const now = this.#now();
    // A rate that is already known may be older than what was learned since.
    if (rate !== undefined && rate !== this.#granted) this.#rate.grant(rate, now);
    this.#granted = rate;
    if (now + pausedMs <= Math.max(now, this.#holdUntil + ROUNDING_MS)) return;
    // What this client sent within this second is its share of the limit, which was unknown until now.
    if (this.#rate.known === undefined) this.#refused ??= { sentAt: now };
    this.#hold(pausedMs);
  }

  /** Calls `listener` when a pause, or a longer one, was asked for. */
  onPause(listener: () => void): void {
    this.#onPause = listener;
  }

  /**
   * Resolves when it is the request's turn, in call order; a request sent `again` comes first, one that gives way (`behind`)
   * after the others. End every turn. Rejects with the abort reason once the signal is aborted.
   * @throws {WaitError} E_SERVICE_BUSY when the wait would be long, or any wait at all while it drains or is not
   * patient.
   */
  turn(signal: AbortSignal, { again = false, behind = false } = {}): Promise<Turn> {
    if (signal.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.leave(waiting);
        this.#serve();
        reject(signal.reason);
      };
      const unfollow = onAbort(signal, leave);
      const waiting: Waiting = {
        go: (turn) => {
          unfollow();
          resolve(turn);
        },
        fail: (error) => {
          unfollow();
          reject(error);
        },
      };
      this.#waiting.add(waiting, { behind, first: again });
      this.#serve();
    });
  }

  /** From now on no request waits: one that cannot be sent at once fails. */
  drain(): void {
    this.#isDraining = true;
    this.#serve();
  }

  /** While it is not patient, no request waits either. */
  setPatient(isPatient: boolean): void {
    this.#isPatient = isPatient;
    this.#serve();
  }

  /** Milliseconds until the next request may be sent; infinite when one in flight has to end first. */
  delayMs(): number {
    const now = this.#now();
    if (now < this.#holdUntil) return this.#holdUntil - now;
    if (this.#heldMs !== undefined) this.#resume(this.#heldMs, now);
    if (typeof this.#probe === "object") return Number.POSITIVE_INFINITY;
    return this.#rate.delayMs(now);
  }

  /** Takes the turn that {@link delayMs} reported as due. */
  take(): Turn {
    const turn = this.#rate.take(this.#now());
    if (this.#probe === "due") this.#probe = turn;
    return turn;
  }

  /** The service refused the request as one too many, and asked for this pause. Ends the turn. */
  refused(turn: Turn, askedMs?: number): void {
    const isProbe = turn === this.#probe;
    this.#rate.uncount(turn);
    this.#pauseMs = isProbe ? Math.min(PAUSE_MAX_MS, this.#pauseMs * 2) : PAUSE_MS;
    // A refused probe shows that the pause was too short, whatever the service had asked for.
    const leastMs = isProbe || askedMs === undefined ? this.#pauseMs : 0;
    if (!isProbe) this.#refused ??= turn;
    this.#holdAsked(Math.max(leastMs, Math.min(askedMs ?? 0, isProbe ? CONFIRMED_MAX_MS : ASKED_MAX_MS)));
  }

  /** The request was answered normally. Ends the turn. */
  passed(turn: Turn): void {
    this.#rate.passed(turn, this.#now());
    if (turn === this.#probe) this.#probe = "none";
    this.#serve();
  }

  /** The request was sent without an answer. Ends the turn, unless it has ended; the next probe waits. */
  lost(turn: Turn): void {
    if (!this.#rate.isUnderWay(turn)) return;
    this.#rate.lost(turn);
    if (turn !== this.#probe) return this.#serve();
    this.#pauseMs = Math.min(PAUSE_MAX_MS, this.#pauseMs * 2);
    this.#hold(this.#pauseMs);
  }

  /** The request was never sent. Ends the turn, unless it has ended. */
  unsent(turn: Turn): void {
    if (!this.#rate.isUnderWay(turn)) return;
    this.#rate.uncount(turn);
    if (turn === this.#probe) this.#probe = "due";
    this.#serve();
  }

  #holdAsked(pauseMs: number): void {
    const until = this.#now() + pauseMs;
    const isLonger = until > this.#askedUntil + ROUNDING_MS;
    this.#askedUntil = Math.max(this.#askedUntil, until);
    this.#hold(pauseMs);
    if (isLonger) this.#onPause();
  }

  #hold(pauseMs: number): void {
    this.#holdUntil = Math.max(this.#holdUntil, this.#now() + pauseMs);
    this.#heldMs = Math.max(this.#heldMs ?? 0, pauseMs);
    this.#probe = "due";
    this.#serve();
  }

  #resume(heldMs: number, now: number): void {
    this.#rate.resume(this.#refused, heldMs, now);
    this.#heldMs = undefined;
    this.#refused = undefined;
  }

  /** Grants the turns that are due, and schedules the next one. */
  #serve(): void {
    clearTimeout(this.#timer);
    while (this.#waiting.length > 0) {
      const delayMs = this.delayMs();
      const mayWait = this.#isPatient && !this.#isDraining && this.holdMs <= LONGEST_TURN_MS;
      if (delayMs > 0 && !mayWait) return this.#dismiss(delayMs);
      if (delayMs > 0) {
        if (Number.isFinite(delayMs)) this.#timer = setTimeout(() => this.#serve(), Math.ceil(delayMs));
        return;
      }
      this.#waiting.next()?.go(this.take());
    }
  }

  #dismiss(delayMs: number): void {
    const afterMs = Math.ceil(Number.isFinite(delayMs) ? delayMs : PAUSE_MS);
    for (const { fail } of this.#waiting.clear()) fail(busy(afterMs));
  }
}

function busy(afterMs: number): WaitError {
  const seconds = Math.ceil(afterMs / 1_000);
  return new WaitError("E_SERVICE_BUSY", `the service asked svcsync to wait: nothing is sent for ${seconds} s`, {
    afterMs,
  });
}
