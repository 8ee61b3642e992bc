/** The shortest window for which services state a limit. Limits per minute or day are met by pausing as long as they ask. */
const WINDOW_MS = 1_000;
/** Added to each window, because clocks and timers round. */
const MARGIN_MS = 5;
/** How late, on average, the service is assumed to count a request, at first and at most. It costs that share of the rate. */
const SLACK_MS = 20;
const SLACK_MAX_MS = 100;
const SLACK_GROWTH = 1.5;
/** Unused slack is saved for a stall, up to this much per request of a window. */
const RESERVE_MS = 200;
/** The fastest answer is taken from the last one to two spans of this length, because a route may become slower. */
const FASTEST_SPAN_MS = 60_000;
/** Requests are spread over this share of a window, which leaves room to catch up. */
const SPREAD = 0.9;
/** A process that wakes late sends the requests of this span at once; fewer where bursts are refused. */
const CATCH_UP_MS = 300;
const CATCH_UP_FEW_MS = 100;
/** From this share on, the requests of a window count as full use of the limit. */
const FULL = 0.9;
/** Windows after a new limit was granted in which requests that others sent under earlier limits still count. */
const GRANT_WINDOWS = 2;
/** A limit is proven after it was used for this many windows without a refusal. */
const TRIAL_WINDOWS = 3;
/** How much higher than the proven limit the next trial is; doubled after each success. */
const LIFT = 0.05;
const LIFT_MAX = 1;
/**
 * When a higher limit is first tried, in milliseconds and in pauses, because a failed trial costs a pause; and the
 * latest time.
 */
const LIFT_AFTER_MS = 60_000;
const LIFT_AFTER_PAUSES = 60;
const LIFT_AFTER_MAX_MS = 16 * 60_000;
/** After a pause of at least this, the limit is assumed to apply to a longer window, such as a minute or a day. */
const LONG_PAUSE_MS = 5_000;
/** A budget exceeded by this factor was not a budget. */
const BUDGET_EXCESS = 1.1;

/** Permission to send a request. */
export interface Turn {
  readonly sentAt: number;
}

/** A turn. Once it was answered: the latest moment at which the service may have counted it. */
interface Sent extends Turn {
  countedAt: number | undefined;
}

/**
 * What the client knows about the service's limit: the number of requests that passed within a second before one was
 * refused.
 *
 * The service counts a request at some point between sending and answer. The fastest answer shows how much of that time
 * is the round trip, so any extra time may have passed before the request was counted. By this count, no more than the
 * limit is sent in any second, however late timers fire and however requests bunch up on their way.
 */
export class Rate {
  /** Requests per window; infinite until the service refused one as too many. */
  #limit = Number.POSITIVE_INFINITY;
  /** The highest limit that passed its trial. */
  #proven: number | undefined;
  #slackMs = SLACK_MS;
  #reserveMs = 0;
  /** The fastest answer in this span and in the previous one. */
  #fastestMs = Number.POSITIVE_INFINITY;
  #fastestBeforeMs = Number.POSITIVE_INFINITY;
  #fastestSince = 0;
  /** Requests of the last windows that were not refused, in order. */
  #sent: Sent[] = [];
  readonly #underWay = new Set<Turn>();
  /** When the next request is due if requests are spread evenly. */
  #dueAt = 0;
  #resumedAt = Number.NEGATIVE_INFINITY;
  /** Whether requests that a pause delayed may be sent at once after it. */
  #bursts = true;
  #trialSince = 0;
  #grantedAt = Number.NEGATIVE_INFINITY;
  /** Whether the limit held a request back since the trial began. An unused limit is not proven. */
  #isUsed = false;
  #liftAt = Number.POSITIVE_INFINITY;
  #liftAfterMs = LIFT_AFTER_MS;
  #lift = LIFT;
  /** How many requests passed since the last long pause, and how many had passed before it. */
  #passed = 0;
  #budget = Number.POSITIVE_INFINITY;

  /** The most requests sent per second; infinite while no limit is known. */
  get perSecond(): number {
    return (this.#limit * 1_000) / (WINDOW_MS + MARGIN_MS);
  }

  /** Requests per window that were learned or granted, without a higher limit on trial; undefined until the first refusal. */
  get known(): number | undefined {
    const known = this.#proven ?? this.#limit;
    return Number.isFinite(known) ? known : undefined;
  }

  /** Takes another limit, as this client's share of a limit known together with others. */
  grant(limit: number, now: number): void {
    if (limit === this.known) return;
    this.#limit = limit;
    this.#grantedAt = now;
    if (this.#proven !== undefined) this.#proven = limit;
    this.#try(now);
  }

  /** Milliseconds until the next request may be sent; infinite when one in flight has to end first. */
  delayMs(now: number): number {
    if (this.#underWay.size > 0 && this.#passed + this.#underWay.size >= this.#budget) return Number.POSITIVE_INFINITY;
    if (this.#limit === Number.POSITIVE_INFINITY) return 0;
    this.#grow(now);
    const delayMs = Math.max(0, this.#dueAt - now, this.#freeAt(now) - now);
    this.#isUsed ||= delayMs > 0;
    return delayMs;
  }

  /** Takes the turn that {@link delayMs} reported as due. */
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

  /** The request was answered with something other than 429. */
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

  /** The request was sent without an answer, so it may have been counted. */
  lost(turn: Turn): void {
    this.#underWay.delete(turn);
  }

  /** The request was not counted: it was refused or never sent. */
  uncount(turn: Turn): void {
    this.#underWay.delete(turn);
    const index = this.#sent.findLastIndex((each) => each === turn);
    if (index !== -1) this.#sent.splice(index, 1);
  }

  isUnderWay(turn: Turn): boolean {
    return this.#underWay.has(turn);
  }

  /**
   * A pause is over and all earlier requests have ended. Learns from the first refused request, unless that was sent
   * before the previous pause.
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

  /**
   * Whether this is the first window after a pause. A refusal in it shows the limit exactly, because no earlier request
   * counts.
   */
  #isFresh(at: number): boolean {
    return at < this.#resumedAt + WINDOW_MS;
  }

  #learn(refusedAt: number, pauseMs: number, now: number): void {
    const isFresh = this.#isFresh(refusedAt);
    // The end of a minute or a day says nothing about a second, and a refusal right after a grant says nothing about the
    // new limit.
    if ((pauseMs >= LONG_PAUSE_MS && !isFresh) || refusedAt < this.#grantedAt + GRANT_WINDOWS * WINDOW_MS) return;
    const passed = this.#passedBefore(refusedAt, now);
    const isFull = passed >= this.#limit * FULL;
    if (this.#limit === Number.POSITIVE_INFINITY) this.#set(passed, now);
    else if (this.#proven !== undefined && this.#proven < this.#limit) this.#fall(this.#proven, pauseMs, now);
    else if (isFresh && !isFull && this.#bursts && this.#proven !== undefined) this.#bursts = false;
    else if (isFresh || !this.#bursts) this.#set(Math.min(passed, this.#limit - 1), now);
    // A limit that is too high shows in the burst that follows. Until then, assume that requests bunched up on their way.
    else this.#slackMs = Math.min(SLACK_MAX_MS, this.#slackMs * SLACK_GROWTH);
  }

  /** The service refused a limit higher than the proven one. */
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

  /** Marks a limit that passed its trial as proven, and later tries a higher one. */
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

  /**
   * When the window has room: all but the newest requests must have left it, by the latest moments at which they may be
   * counted.
   */
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

  /**
   * How many requests may have passed in the window before a refusal. An estimate that is too high shows at once, one
   * that is too low does not.
   */
  #passedBefore(refusedAt: number, now: number): number {
    const first = refusedAt - WINDOW_MS - this.#slackMs;
    const last = refusedAt + this.#slackMs;
    return this.#sent.filter((sent) => this.#countedAt(sent, now) > first && sent.sentAt <= last).length;
  }
}
