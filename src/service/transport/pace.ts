import { onAbort, WaitError } from "#model";
import type { ServiceLimits } from "../contract.ts";
import { Rate, type Turn } from "./rate.ts";

/** The pause after a 429 that does not say; each probe that is refused or not answered doubles it. */
const PAUSE_MS = 1_000;
const PAUSE_MAX_MS = 60_000;
/** A Retry-After beyond this is taken for a mistake at first; once the probe hears the same, up to an hour is believed. */
const ASKED_MAX_MS = 5 * 60_000;
const CONFIRMED_MAX_MS = 60 * 60_000;
/** A pause that ends so much later than one that is known is the same one, told by others. */
const ROUNDING_MS = 100;
/** Longer pauses are left to the caller: a record that waits in the store can be looked at, skipped and overtaken. */
const LONGEST_TURN_MS = 15_000;

interface Waiting {
  readonly go: (turn: Turn) => void;
  readonly fail: (error: WaitError) => void;
}

/**
 * Holds the whole client to the rate that the service allows. Its law:
 *
 * 1. Nothing is held back until the first 429.
 * 2. A 429 holds all requests back for as long as it says. Then one request probes; the others follow once it was answered.
 * 3. From the first 429 on no more is sent within any second than the service let pass ({@link Rate}); what a pause has cost
 *    is sent right after it, unless the service refuses that.
 * 4. After a pause of more than some seconds, requests go one at a time once as many have passed as before the pause.
 */
export class Pace {
  readonly #now: () => number;
  readonly #rate = new Rate();
  #holdUntil = 0;
  /** Until when this client itself was asked to stay away. */
  #askedUntil = 0;
  #granted: number | undefined;
  #onPause = () => {};
  #pauseMs = PAUSE_MS;
  /** How long the present hold lasts in all; undefined when it is over. */
  #heldMs: number | undefined;
  /** The first request that was refused, until the hold is over. */
  #refused: Turn | undefined;
  #probe: "none" | "due" | Turn = "none";
  #isDraining = false;
  #isPatient = true;
  readonly #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** @param now milliseconds of a monotonic clock. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Requests per second that are sent at most; infinite while no limit is known. */
  get perSecond(): number {
    return this.#rate.perSecond;
  }

  /** For how many milliseconds more nothing is sent because the service asked for it. */
  get holdMs(): number {
    return Math.max(0, this.#holdUntil - this.#now());
  }

  /** What this client's own refusals told. */
  get limits(): ServiceLimits {
    return { pausedMs: Math.ceil(Math.max(0, this.#askedUntil - this.#now())), rate: this.#rate.known };
  }

  /** Obeys what the refusals of all clients told: the service counts them as one. */
  setLimits({ pausedMs, rate }: ServiceLimits): void {
    const now = this.#now();
    // One that is known already may be older than what was learned since.
    if (rate !== undefined && rate !== this.#granted) this.#rate.grant(rate, now);
    this.#granted = rate;
    if (now + pausedMs <= Math.max(now, this.#holdUntil + ROUNDING_MS)) return;
    // What it sent itself in this second is its part of a limit that was unknown.
    if (this.#rate.known === undefined) this.#refused ??= { sentAt: now };
    this.#hold(pausedMs);
  }

  /** Calls `listener` when a pause was asked for, or a longer one. */
  onPause(listener: () => void): void {
    this.#onPause = listener;
  }

  /**
   * Resolves when it is a request's turn, in the order of the calls; one that was sent before and is sent `again` comes
   * first. End every turn. Rejects with the reason once the signal is aborted.
   * @throws {WaitError} E_SERVICE_BUSY when the wait would be long, or any at all while it drains or is not patient.
   */
  turn(signal: AbortSignal, { again = false } = {}): Promise<Turn> {
    if (signal.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
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
      if (again) this.#waiting.unshift(waiting);
      else this.#waiting.push(waiting);
      this.#serve();
    });
  }

  /** From now on no request waits: one that cannot be sent at once is given back. */
  drain(): void {
    this.#isDraining = true;
    this.#serve();
  }

  /** While it is not patient, no request waits, either. */
  setPatient(isPatient: boolean): void {
    this.#isPatient = isPatient;
    this.#serve();
  }

  /** In how many milliseconds the next request may be sent; infinite: when one that is under way has ended. */
  delayMs(): number {
    const now = this.#now();
    if (now < this.#holdUntil) return this.#holdUntil - now;
    if (this.#heldMs !== undefined) this.#resume(this.#heldMs, now);
    if (typeof this.#probe === "object") return Number.POSITIVE_INFINITY;
    return this.#rate.delayMs(now);
  }

  /** Takes the turn that {@link delayMs} has told to be due. */
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
    // A probe that is refused says that the pause was too short, whatever was asked for.
    const leastMs = isProbe || askedMs === undefined ? this.#pauseMs : 0;
    if (!isProbe) this.#refused ??= turn;
    this.#holdAsked(Math.max(leastMs, Math.min(askedMs ?? 0, isProbe ? CONFIRMED_MAX_MS : ASKED_MAX_MS)));
  }

  /** The request was answered otherwise. Ends the turn. */
  passed(turn: Turn): void {
    this.#rate.passed(turn, this.#now());
    if (turn === this.#probe) this.#probe = "none";
    this.#serve();
  }

  /** The request was sent and its answer not seen. Ends the turn, unless it has ended; the next probe waits. */
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

  /** Gives the turns that are due, and comes back for the next one. */
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
      this.#waiting.shift()?.go(this.take());
    }
  }

  #dismiss(delayMs: number): void {
    const afterMs = Math.ceil(Number.isFinite(delayMs) ? delayMs : PAUSE_MS);
    for (const { fail } of this.#waiting.splice(0)) fail(busy(afterMs));
  }
}

function busy(afterMs: number): WaitError {
  const seconds = Math.ceil(afterMs / 1_000);
  return new WaitError("E_SERVICE_BUSY", `the service asked svcsync to wait: nothing is sent for ${seconds} s`, {
    afterMs,
  });
}
