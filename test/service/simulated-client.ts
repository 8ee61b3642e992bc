import { Pace } from "../../src/service/transport/pace.ts";
import { seededRandom } from "../../src/sandbox/random.ts";
import type { Limiter } from "./limiters.ts";
import { SharedLimits } from "./shared-limits.ts";

const SEED = 7;
const BEAT_MS = 500;
/** Until the others hear of a pause. */
const NOTICE_MS = 20;

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
  /** Several clients share concurrency and limit, as replicas do. */
  readonly clients?: number;
  /** Each client has nothing to send until so long after the one before. */
  readonly apartMs?: number;
  readonly seed?: number;
}

interface Event {
  readonly at: number;
  readonly happen: () => void;
}

/** Clients that always have something to send, on a simulated clock. */
export function simulate({
  limiter,
  seconds,
  from = 0,
  lateMs = 0,
  jitterMs = 0,
  answerMs = 0,
  concurrency = 16,
  clients = 1,
  apartMs = 0,
  seed = SEED,
}: Conditions) {
  const random = seededRandom(seed);
  const events: Event[] = [];
  let now = 0;
  let passed = 0;
  let refused = 0;
  const after = (ms: number, happen: () => void): void => void events.push({ at: now + ms, happen });
  const shared = new SharedLimits(clients, () => now);
  const beats: (() => void)[] = [];

  function begin(at: number): Pace {
    const pace = new Pace(() => now);
    let idle = Math.floor(concurrency / clients);
    let wakes = 0;
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
        if (idle === 0 || now < at * apartMs) return;
        const delayMs = pace.delayMs();
        if (delayMs === Number.POSITIVE_INFINITY) return;
        if (delayMs > 0) return after(Math.ceil(delayMs) + random() * lateMs, () => wake === wakes && serve());
        send();
      }
    };
    if (clients > 1) {
      const beat = () => {
        pace.setLimits(shared.beat(at, pace.limits));
        serve();
      };
      beats.push(beat);
      const again = () => {
        beat();
        after(BEAT_MS, again);
      };
      after(random() * BEAT_MS, again);
      pace.onPause(() =>
        after(random() * NOTICE_MS, () => {
          beat();
          for (const other of beats) if (other !== beat) after(random() * NOTICE_MS, other);
        }),
      );
    }
    after(at * apartMs, serve);
    return pace;
  }

  const paces = Array.from({ length: clients }, (_, at) => begin(at));
  while (now < seconds * 1_000) {
    events.sort((a, b) => b.at - a.at);
    const next = events.pop()!;
    now = next.at;
    next.happen();
  }
  const [pace] = paces;
  return {
    pace: pace!,
    paces,
    passed,
    refused,
    perNeeded: (passed + refused) / passed,
    perSecond: passed / (seconds - from),
  };
}
