import { Pace } from "../../src/service/transport/pace.ts";
import { seededRandom } from "../../src/sandbox/random.ts";
import type { Limiter } from "./limiters.ts";

const SEED = 7;

interface Conditions {
  readonly limiter: Limiter;
  readonly seconds: number;
  /** Figures are of the time after this. */
  readonly from?: number;
  /** A timer fires late by up to so much. */
  readonly lateMs?: number;
  /** A request arrives up to so much later than the fastest one. */
  readonly jitterMs?: number;
  /** An answer takes up to so much longer after the request was counted. */
  readonly answerMs?: number;
  readonly concurrency?: number;
}

interface Event {
  readonly at: number;
  readonly happen: () => void;
}

/** A client that always has something to send, on a simulated clock. */
export function simulate({
  limiter,
  seconds,
  from = 0,
  lateMs = 0,
  jitterMs = 0,
  answerMs = 0,
  concurrency = 16,
}: Conditions) {
  const random = seededRandom(SEED);
  const events: Event[] = [];
  let now = 0;
  let idle = concurrency;
  let wakes = 0;
  let passed = 0;
  let refused = 0;
  const pace = new Pace(() => now);
  const after = (ms: number, happen: () => void): void => void events.push({ at: now + ms, happen });
  const send = () => {
    const turn = pace.take();
    idle -= 1;
    after(5 + random() * jitterMs, () => {
      const answer = limiter(now);
      const isCounted = now >= from * 1_000;
      if (isCounted && answer === "passed") passed++;
      else if (isCounted) refused++;
      after(5 + random() * (jitterMs + answerMs), () => {
        if (answer === "passed") pace.passed(turn);
        else pace.refused(turn, answer === "silent" ? undefined : answer);
        idle += 1;
        serve();
      });
    });
  };
  const serve = (): void => {
    const wake = ++wakes;
    for (;;) {
      if (idle === 0) return;
      const delayMs = pace.delayMs();
      if (delayMs === Number.POSITIVE_INFINITY) return;
      if (delayMs > 0) return after(Math.ceil(delayMs) + random() * lateMs, () => wake === wakes && serve());
      send();
    }
  };
  serve();
  while (now < seconds * 1_000) {
    events.sort((a, b) => b.at - a.at);
    const next = events.pop()!;
    now = next.at;
    next.happen();
  }
  return { pace, passed, refused, perNeeded: (passed + refused) / passed, perSecond: passed / (seconds - from) };
}
