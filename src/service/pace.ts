import { onAbort, WaitError } from "#model";

/** The shortest span for which services state a limit. A limit per minute or day is met by holding as long as it says. */
const WINDOW_MS = 1_000;
/** The window is taken as longer by this share: requests do not arrive as evenly as they are sent. */
const MARGIN = 0.02;
/** What a refusal at a proven limit adds to the margin, and how far: the target is 0.95 of the allowed rate. */
const MARGIN_STEP = 0.01;
const MARGIN_MAX = 0.04;
/** Requests are spread over this share of the window, which leaves room to catch up. */
const SPREAD = 0.9;
/** A process that wakes late sends at once what was due within this time: a tenth of a window is no burst. */
const CATCH_UP_MS = 100;
/** Requests of the last window that were let pass count as full use of the limit from this share on. */
const FULL = 0.9;
/** So few requests prove no limit: the service may have been busy for another reason. */
const FEW = 10;
/** A limit that was kept for so many windows without a refusal is proven. */
const TRIAL_WINDOWS = 3;
/** What is left of a limit that was refused in two trials running, as after a burst across the edge of a fixed window. */
const SECOND_CUT = 0.8;
/** How much higher a limit is tried than the proven one. */
const LIFT = 1.05;
/** When a higher limit is tried first, and at most how late when tries fail: each failure costs a pause. */
const LIFT_AFTER_MS = 60_000;
const LIFT_AFTER_MAX_MS = 16 * 60_000;
/** The pause after a 429 that does not say; each probe that is refused doubles it. */
const PAUSE_MS = 1_000;
const PAUSE_MAX_MS = 60_000;
/** A Retry-After beyond this is taken for a mistake at first; once the probe hears the same, up to an hour is believed. */
const ASKED_MAX_MS = 5 * 60_000;
const CONFIRMED_MAX_MS = 60 * 60_000;
/** Longer pauses are left to the caller: a worker should not sleep long. */
const LONGEST_TURN_MS = 2_000;

/** A request that may be sent now; `at` is when it was told so. */
export interface Turn {
  readonly at: number;
}

interface Waiting {
  readonly go: (turn: Turn) => void;
  readonly fail: (error: WaitError) => void;
}

/**
 * Holds the whole client to the rate that the service allows. Its law:
 *
 * 1. Nothing is held back until the first 429.
 * 2. A 429 holds all requests back for as long as it says. Then one request probes; the others follow once it has passed.
 * 3. The limit is the most that passed within a window (a second) before the 429. From then on no more than that is sent in
 *    any window, counted by when requests were sent, not by when they were due: who wakes late catches up and loses nothing.
 * 4. A limit is on trial for three windows after each change and each pause. A refusal in this time says that it is too high:
 *    one less becomes the ceiling. A refusal later is one of bunched arrivals: the limit stays and the margin grows.
 * 5. A trial that passed doubles a limit below its ceiling. The ceiling itself is lifted by a twentieth after a minute, and
 *    after twice as long each time that the lift was refused.
 */
export class Pace {
  readonly #now: () => number;
  /** Requests per window; infinite until the service has refused one as too many. */
  #limit = Number.POSITIVE_INFINITY;
  #ceiling = Number.POSITIVE_INFINITY;
  #margin = MARGIN;
  /** When requests were sent, in order, without those that were refused. */
  #sent: number[] = [];
  /** When the next request is due by the spread. */
  #dueAt = 0;
  #holdUntil = 0;
  #pauseMs = PAUSE_MS;
  #probe: "none" | "due" | Turn = "none";
  /** The first refusal that the limit is still to be learned from, once everything under way is answered. */
  #refusedAt: number | undefined;
  #trialSince = 0;
  #cuts = 0;
  /** Has the limit held a request back since the trial began? What was not used is not proven. */
  #isUsed = false;
  #liftAt = 0;
  #liftAfterMs = LIFT_AFTER_MS;
  /** The limit that was proven before a higher one was tried. */
  #proven: number | undefined;
  readonly #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** @param now milliseconds of a monotonic clock. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Requests per second that are sent at most; infinite while no limit is known. */
  get rate(): number {
    return (this.#limit * 1_000) / this.#windowMs;
  }

  /** For how many milliseconds the service asked to be left alone. */
  get holdMs(): number {
    return Math.max(0, this.#holdUntil - this.#now());
  }

  /**
   * Resolves when it is a request's turn, in the order of the calls; end every turn with {@link ended}. Rejects with the
   * reason once the signal is aborted.
   * @throws {WaitError} E_SERVICE_BUSY when the service asked for more patience than a worker has.
   */
  turn(signal: AbortSignal): Promise<Turn> {
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
      this.#waiting.push(waiting);
      this.#serve();
    });
  }

  /** In how many milliseconds the next request may be sent; infinite while a probe is under way. */
  delayMs(): number {
    const now = this.#now();
    if (now < this.#holdUntil) return this.#holdUntil - now;
    if (this.#refusedAt !== undefined) this.#learn(this.#refusedAt, now);
    if (typeof this.#probe === "object") return Number.POSITIVE_INFINITY;
    if (now >= this.#trialUntil) this.#grow(now);
    const oldest = this.#sent.at(-this.#limit);
    const freeAt = oldest === undefined || this.#sent.length < this.#limit ? 0 : oldest + this.#windowMs;
    const delayMs = Math.max(0, this.#dueAt - now, freeAt - now);
    this.#isUsed ||= delayMs > 0;
    return delayMs;
  }

  /** Takes the turn that {@link delayMs} has told to be due. */
  take(): Turn {
    const now = this.#now();
    const turn = { at: now };
    if (this.#probe === "due") this.#probe = turn;
    const gapMs = Number.isFinite(this.#limit) ? (SPREAD * this.#windowMs) / this.#limit : 0;
    this.#dueAt = Math.max(this.#dueAt, now - CATCH_UP_MS) + gapMs;
    while (this.#sent[0] !== undefined && this.#sent[0] < now - 2 * this.#windowMs) this.#sent.shift();
    this.#sent.push(now);
    return turn;
  }

  /** The service refused the request as one too many, and asked for this pause. */
  refused(turn: Turn, askedMs?: number): void {
    const wasProbe = turn === this.#probe;
    const index = this.#sent.lastIndexOf(turn.at);
    if (index !== -1) this.#sent.splice(index, 1);
    this.#pauseMs = wasProbe ? Math.min(PAUSE_MAX_MS, this.#pauseMs * 2) : PAUSE_MS;
    const pauseMs = Math.min(askedMs ?? this.#pauseMs, wasProbe ? CONFIRMED_MAX_MS : ASKED_MAX_MS);
    this.#holdUntil = Math.max(this.#holdUntil, this.#now() + pauseMs);
    // A refused probe says that the pause was too short, and nothing of the rate; what was sent before says nothing new.
    if (!wasProbe && turn.at >= this.#trialSince) this.#refusedAt ??= turn.at;
    this.#probe = "due";
    this.#serve();
  }

  /** The turn is over: the request was answered, or failed without an answer, or was never sent. */
  ended(turn: Turn): void {
    if (turn !== this.#probe) return;
    this.#probe = "none";
    this.#serve();
  }

  get #windowMs(): number {
    return WINDOW_MS * (1 + this.#margin);
  }

  get #trialUntil(): number {
    return this.#trialSince + TRIAL_WINDOWS * this.#windowMs;
  }

  /** Gives the turns that are due, and comes back for the next one. */
  #serve(): void {
    clearTimeout(this.#timer);
    if (this.holdMs > LONGEST_TURN_MS) this.#dismiss(this.holdMs);
    while (this.#waiting.length > 0) {
      const delayMs = this.delayMs();
      if (delayMs > 0) {
        if (Number.isFinite(delayMs)) this.#timer = setTimeout(() => this.#serve(), Math.ceil(delayMs));
        return;
      }
      this.#waiting.shift()?.go(this.take());
    }
  }

  #dismiss(afterMs: number): void {
    for (const { fail } of this.#waiting.splice(0))
      fail(
        new WaitError("E_SERVICE_BUSY", "the service asked to be left alone for a while", {
          afterMs: Math.ceil(afterMs),
        }),
      );
  }

  /** The pause is over: law 3 and 4. */
  #learn(refusedAt: number, now: number): void {
    const passed = this.#most(refusedAt - this.#windowMs);
    const inTrial = refusedAt < this.#trialUntil;
    const isFull = passed >= this.#limit * FULL;
    if (this.#limit === Number.POSITIVE_INFINITY) {
      this.#limit = Math.max(1, passed);
      if (passed >= FEW) this.#cap(now);
    } else if (inTrial) {
      const less = this.#proven ?? (this.#cuts++ === 0 ? this.#limit - 1 : Math.floor(this.#limit * SECOND_CUT));
      this.#limit = Math.max(1, isFull ? less : passed);
      this.#cap(now);
    } else if (isFull) {
      this.#margin = Math.min(MARGIN_MAX, this.#margin + MARGIN_STEP);
    } else {
      this.#limit = Math.max(1, passed);
    }
    if (!inTrial) this.#cuts = 0;
    this.#refusedAt = undefined;
    this.#try(now);
  }

  #cap(now: number): void {
    this.#ceiling = this.#limit;
    this.#liftAfterMs = this.#proven !== undefined ? Math.min(LIFT_AFTER_MAX_MS, this.#liftAfterMs * 2) : LIFT_AFTER_MS;
    this.#proven = undefined;
    this.#liftAt = now + this.#liftAfterMs;
  }

  #try(now: number): void {
    this.#trialSince = now;
    this.#isUsed = false;
  }

  /** The trial has passed: law 5. */
  #grow(now: number): void {
    if (!this.#isUsed) return;
    this.#cuts = 0;
    if (this.#limit < this.#ceiling) this.#limit = Math.min(this.#ceiling, this.#limit * 2);
    else if (now >= this.#liftAt) {
      this.#proven = this.#limit;
      this.#limit = Math.max(this.#limit + 1, Math.floor(this.#limit * LIFT));
      this.#ceiling = this.#limit;
    } else return;
    this.#try(now);
  }

  /** The most requests that passed within one window since then. */
  #most(since: number): number {
    let most = 0;
    let first = 0;
    for (const [last, at] of this.#sent.entries()) {
      if (at <= since) first = last + 1;
      else {
        while (this.#sent[first]! <= at - this.#windowMs) first++;
        most = Math.max(most, last - first + 1);
      }
    }
    return most;
  }
}
