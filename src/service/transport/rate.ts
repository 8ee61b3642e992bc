/** The shortest span for which services state a limit. Limits per minute or day are met by holding as long as they say. */
const WINDOW_MS = 1_000;
/** A window is taken as this much longer: clocks and timers round. */
const MARGIN_MS = 5;
/** How much later than usual requests are taken to be counted on average, at first and at most: it costs that share of the rate. */
const SLACK_MS = 20;
const SLACK_MAX_MS = 100;
const SLACK_GROWTH = 1.5;
/** What was not needed of it is kept for a stall, up to this much per request of a window. */
const RESERVE_MS = 200;
/** The fastest answer is that of one to two spans of this length: a way may become longer. */
const FASTEST_SPAN_MS = 60_000;
/** Requests are spread over this share of a window, which leaves room to catch up. */
const SPREAD = 0.9;
/** Requests that were due within this time are sent at once by a process that wakes late; fewer where bursts are refused. */
const CATCH_UP_MS = 300;
const CATCH_UP_FEW_MS = 100;
/** From this share on, what passed within a window counts as full use of the limit. */
const FULL = 0.9;
/** For so long after another limit was granted, what others had sent by the former ones still counts. */
const GRANT_WINDOWS = 2;
/** A limit that was used for so many windows without a refusal is proven. */
const TRIAL_WINDOWS = 3;
/** How much higher a limit is tried than the proven one; twice as much after each success. */
const LIFT = 0.05;
const LIFT_MAX = 1;
/** When a higher limit is tried first, in milliseconds and in pauses, since a try that fails costs a pause; and at most how late. */
const LIFT_AFTER_MS = 60_000;
const LIFT_AFTER_PAUSES = 60;
const LIFT_AFTER_MAX_MS = 16 * 60_000;
/** A pause from which on the limit is taken for one of a longer window, such as a minute or a day. */
const LONG_PAUSE_MS = 5_000;
/** A budget that was exceeded by this share was none. */
const BUDGET_EXCESS = 1.1;

/** A request that may be sent. */
export interface Turn {
  readonly sentAt: number;
}

/** A turn, and once it was answered the latest moment at which the service may have counted it. */
interface Sent extends Turn {
  countedAt: number | undefined;
}

/**
 * What the client knows about the service's limit: as many requests as passed within a second before it refused one.
 *
 * A request is counted by the service somewhere between being sent and being answered. The fastest answer says how much of that
 * is the way there and back, so what an answer took longer may have gone by before it was counted. No more than the limit is
 * sent in any second by this count, however late timers fire and however requests bunch up on their way.
 */
export class Rate {
  /** Requests per window; infinite until the service has refused one as too many. */
  #limit = Number.POSITIVE_INFINITY;
  /** The highest limit that passed its trial. */
  #proven: number | undefined;
  #slackMs = SLACK_MS;
  #reserveMs = 0;
  /** How long the fastest answer took, in this span and in the one before. */
  #fastestMs = Number.POSITIVE_INFINITY;
  #fastestBeforeMs = Number.POSITIVE_INFINITY;
  #fastestSince = 0;
  /** What was sent in the last windows and not refused, in order. */
  #sent: Sent[] = [];
  readonly #underWay = new Set<Turn>();
  /** When the next request is due by the spread. */
  #dueAt = 0;
  #resumedAt = Number.NEGATIVE_INFINITY;
  /** Whether what a pause has cost may be sent at once after it. */
  #bursts = true;
  #trialSince = 0;
  #grantedAt = Number.NEGATIVE_INFINITY;
  /** Has the limit held a request back since the trial began? What was not used is not proven. */
  #isUsed = false;
  #liftAt = Number.POSITIVE_INFINITY;
  #liftAfterMs = LIFT_AFTER_MS;
  #lift = LIFT;
  /** How many passed since the last long pause, and how many had passed before it. */
  #passed = 0;
  #budget = Number.POSITIVE_INFINITY;

  /** Requests per second that are sent at most; infinite while no limit is known. */
  get perSecond(): number {
    return (this.#limit * 1_000) / (WINDOW_MS + MARGIN_MS);
  }

  /** Requests per window that were learned or granted, without the higher limit that is being tried; undefined until the first refusal. */
  get known(): number | undefined {
    const known = this.#proven ?? this.#limit;
    return Number.isFinite(known) ? known : undefined;
  }

  /** Takes another limit, as this client's part of what it knows together with others. */
  grant(limit: number, now: number): void {
    if (limit === this.known) return;
    this.#limit = limit;
    this.#grantedAt = now;
    if (this.#proven !== undefined) this.#proven = limit;
    this.#try(now);
  }

  /** In how many milliseconds the next request may be sent; infinite: when one that is under way has ended. */
  delayMs(now: number): number {
    if (this.#underWay.size > 0 && this.#passed + this.#underWay.size >= this.#budget) return Number.POSITIVE_INFINITY;
    if (this.#limit === Number.POSITIVE_INFINITY) return 0;
    this.#grow(now);
    const delayMs = Math.max(0, this.#dueAt - now, this.#freeAt(now) - now);
    this.#isUsed ||= delayMs > 0;
    return delayMs;
  }

  /** Takes the turn that {@link delayMs} has told to be due. */
  take(now: number): Turn {
    const turn = { sentAt: now, countedAt: undefined };
    const catchUpMs = this.#isFresh(now) ? WINDOW_MS : CATCH_UP_MS;
    const gapMs = this.#limit === Number.POSITIVE_INFINITY ? 0 : (SPREAD * WINDOW_MS) / this.#limit;
    this.#dueAt = Math.max(this.#dueAt, now - (this.#bursts ? catchUpMs : CATCH_UP_FEW_MS)) + gapMs;
    while (this.#sent[0] !== undefined && this.#sent[0].sentAt < now - 2 * WINDOW_MS) this.#sent.shift();
    this.#sent.push(turn);
    this.#underWay.add(turn);
    return turn;
  }

  /** The request was answered, and not as one too many. */
  passed(turn: Turn, now: number): void {
    this.#noteTook(now - turn.sentAt, now);
    const sent = this.#sent.findLast((each) => each === turn);
    if (sent) {
      sent.countedAt = this.#countedAt(sent, now);
      const spareMs = this.#slackMs - (sent.countedAt - sent.sentAt);
      this.#reserveMs = Math.max(0, Math.min(RESERVE_MS * this.#limit, this.#reserveMs + spareMs));
    }
    this.#passed++;
    if (this.#passed > this.#budget * BUDGET_EXCESS) this.#budget = Number.POSITIVE_INFINITY;
    this.#underWay.delete(turn);
  }

  /** The request was sent and its answer not seen: it may have been counted. */
  lost(turn: Turn): void {
    this.#underWay.delete(turn);
  }

  /** The request was not counted, since it was refused or never sent. */
  uncount(turn: Turn): void {
    this.#underWay.delete(turn);
    const index = this.#sent.findLastIndex((each) => each === turn);
    if (index !== -1) this.#sent.splice(index, 1);
  }

  isUnderWay(turn: Turn): boolean {
    return this.#underWay.has(turn);
  }

  /**
   * A pause is over, and what was under way before it has ended: learns from the request that was refused first, unless it
   * had been sent before the pause before this one.
   */
  resume(refused: Turn | undefined, pauseMs: number, now: number): void {
    if (refused !== undefined && refused.sentAt >= this.#resumedAt) this.#learn(refused.sentAt, pauseMs, now);
    if (pauseMs >= LONG_PAUSE_MS && this.#passed > 0) {
      this.#budget = this.#passed;
      this.#passed = 0;
    }
    this.#resumedAt = now;
    this.#dueAt = 0;
  }

  #noteTook(tookMs: number, now: number): void {
    if (now > this.#fastestSince + FASTEST_SPAN_MS) {
      this.#fastestBeforeMs = this.#fastestMs;
      this.#fastestMs = tookMs;
      this.#fastestSince = now;
    }
    this.#fastestMs = Math.min(this.#fastestMs, tookMs);
  }

  /** The window after a pause: a refusal in it shows the limit exactly, since nothing that was sent before counts. */
  #isFresh(at: number): boolean {
    return at < this.#resumedAt + WINDOW_MS;
  }

  #learn(refusedAt: number, pauseMs: number, now: number): void {
    const isFresh = this.#isFresh(refusedAt);
    // The end of a minute or a day says nothing about a second, and a refusal after a grant nothing about what was granted.
    if ((pauseMs >= LONG_PAUSE_MS && !isFresh) || refusedAt < this.#grantedAt + GRANT_WINDOWS * WINDOW_MS) return;
    const passed = this.#passedBefore(refusedAt, now);
    const isFull = passed >= this.#limit * FULL;
    if (this.#limit === Number.POSITIVE_INFINITY) this.#set(passed, now);
    else if (this.#proven !== undefined && this.#proven < this.#limit) this.#fall(this.#proven, pauseMs, now);
    else if (isFresh && !isFull && this.#bursts && this.#proven !== undefined) this.#bursts = false;
    else if (isFresh || !this.#bursts) this.#set(Math.min(passed, this.#limit - 1), now);
    // Too high a limit shows by the burst that follows; until it does, requests have bunched up on their way.
    else this.#slackMs = Math.min(SLACK_MAX_MS, this.#slackMs * SLACK_GROWTH);
  }

  /** A higher limit than the proven one was refused. */
  #fall(proven: number, pauseMs: number, now: number): void {
    this.#set(proven, now);
    this.#proven = proven;
    this.#lift = LIFT;
    const least = Math.max(LIFT_AFTER_MS, LIFT_AFTER_PAUSES * pauseMs);
    this.#liftAfterMs = Math.min(LIFT_AFTER_MAX_MS, Math.max(least, this.#liftAfterMs * 2));
    this.#liftAt = now + this.#liftAfterMs;
  }

  #set(limit: number, now: number): void {
    this.#limit = Math.max(1, limit);
    this.#reserveMs = RESERVE_MS * this.#limit;
    this.#proven = undefined;
    this.#try(now);
  }

  #try(now: number): void {
    this.#trialSince = now;
    this.#isUsed = false;
  }

  /** A limit that has passed its trial is proven, and later a higher one is tried. */
  #grow(now: number): void {
    if (now < this.#trialSince + TRIAL_WINDOWS * WINDOW_MS || !this.#isUsed) return;
    if (this.#proven === undefined) this.#liftAt = now + this.#liftAfterMs;
    else if (this.#proven < this.#limit) {
      this.#lift = Math.min(LIFT_MAX, this.#lift * 2);
      this.#liftAfterMs = LIFT_AFTER_MS;
    }
    this.#proven = this.#limit;
    if (now < this.#liftAt) return;
    this.#limit = Math.max(this.#limit + 1, Math.floor(this.#limit * (1 + this.#lift)));
    this.#try(now);
  }

  /** When the window has room: all but the newest must be older than it, by the latest moments that they can be counted at. */
  #freeAt(now: number): number {
    const first = this.#sent.length - this.#limit;
    let countedAt = Number.NEGATIVE_INFINITY;
    for (let index = first; index >= 0; index--) {
      const sent = this.#sent[index];
      if (sent !== undefined) countedAt = Math.max(countedAt, this.#countedAt(sent, now));
    }
    return countedAt + WINDOW_MS + MARGIN_MS;
  }

  #countedAt({ sentAt, countedAt }: Sent, now: number): number {
    if (countedAt !== undefined) return countedAt;
    const lateMs = now - sentAt - Math.min(this.#fastestMs, this.#fastestBeforeMs);
    return sentAt + Math.max(0, Math.min(lateMs, this.#slackMs + this.#reserveMs));
  }

  /** How many may have passed in the window before a refusal: too high a limit shows at once, too low a one does not. */
  #passedBefore(refusedAt: number, now: number): number {
    const first = refusedAt - WINDOW_MS - this.#slackMs;
    const last = refusedAt + this.#slackMs;
    return this.#sent.filter((sent) => this.#countedAt(sent, now) > first && sent.sentAt <= last).length;
  }
}
