import { z } from "zod";
import { onAbort } from "./abort.ts";

/** The only source of the time: instants are epoch milliseconds. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** The longest timer of Node, 24.8 days, in milliseconds; longer ones fire at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Waits `ms` milliseconds. If `signal` is aborted, it resolves early, so that loops end at their `while (!signal.aborted)`. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      unfollow?.();
      resolve();
    };
    let timer: NodeJS.Timeout;
    const wait = (leftMs: number) => {
      const nextMs = Math.min(leftMs, LONGEST_TIMER_MS);
      timer = setTimeout(() => (leftMs > nextMs ? wait(leftMs - nextMs) : done()), nextMs);
    };
    wait(ms);
    const unfollow = signal && onAbort(signal, done);
  });
}

/** Works now and then at intervals, until the signal is aborted. */
export async function repeatedly(everyMs: number, work: () => Promise<void>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await work();
    await sleep(everyMs, signal);
  }
}

/** Looks now and then at intervals. Resolves to true once it holds, to false when the signal is aborted before that. */
export async function untilHolds(
  everyMs: number,
  holds: () => boolean | Promise<boolean>,
  signal: AbortSignal,
): Promise<boolean> {
  while (!signal.aborted) {
    if (await holds()) return true;
    await sleep(everyMs, signal);
  }
  return false;
}

/** Settles like `work`, or resolves to the result of `late` after `ms` milliseconds; the work continues. */
export function within<T, L>(ms: number, work: Promise<T>, late: () => L): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  return Promise.race([work, over.then(late)]).finally(() => clearTimeout(timer));
}

/**
 * Milliseconds to the next whole multiple of `everyMs` on a monotonic clock. Loops with the same interval thus wake the process only once.
 */
export function msUntilNext(everyMs: number): number {
  return Math.floor(everyMs - (performance.now() % everyMs)) + 1;
}

/** Waits until the next multiple of `everyMs`, or until `signal` is aborted. */
export function untilNext(everyMs: number, signal?: AbortSignal): Promise<void> {
  return sleep(msUntilNext(everyMs), signal);
}

/** The pauses between attempts, which double from `baseMs` to `maxMs`. */
export interface Backoff {
  readonly baseMs: number;
  readonly maxMs: number;
}

/**
 * The pause after attempt number `attempt` (from 1), in milliseconds: exponential with equal jitter, so between half and all of it.
 * Attempts that failed together are not repeated together.
 */
export function backoffMs({ baseMs, maxMs }: Backoff, attempt: number): number {
  const whole = Math.min(maxMs, baseMs * 2 ** Math.max(0, attempt - 1));
  return Math.round(whole * (0.5 + Math.random() / 2));
}

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };
const spelling = "a duration such as 500ms, 90s, 5m, 12h or 7d";

/** A duration as the sync file spells it (`90s`, `5m`, `12h`, `7d`), in milliseconds. */
export const duration = z
  .string({ error: spelling })
  .regex(/^\d{1,9}(ms|s|m|h|d)$/, `expected ${spelling}`)
  .transform((text) => Number.parseInt(text, 10) * (unitsMs[text.replace(/^\d+/, "")] ?? Number.NaN));

/** A duration that limits one exchange, at most a day: Node.js fires timers above 24.8 days at once. */
export const timeLimit = duration.refine((ms) => ms > 0 && ms <= DAY_MS, "a time limit is between 1ms and 1d");

/** A moment for people and logs that may be read anywhere: `2026-11-22T18:00:00.000Z`. */
export function instantText(at: number): string {
  return new Date(at).toISOString();
}

/** An instant for people, with this machine's offset: `2026-11-22 18:00 +01:00`. */
export function localTime(at: number): string {
  const here = new Date(at);
  const minutes = -here.getTimezoneOffset();
  const offset = `${minutes < 0 ? "-" : "+"}${two(Math.trunc(minutes / 60))}:${two(minutes % 60)}`;
  const day = `${here.getFullYear()}-${two(here.getMonth() + 1)}-${two(here.getDate())}`;
  return `${day} ${two(here.getHours())}:${two(here.getMinutes())} ${offset}`;
}

function two(number: number): string {
  return String(Math.abs(number)).padStart(2, "0");
}

/** Whether a name is an IANA time zone, such as Europe/Berlin or UTC. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).format() !== "";
  } catch {
    return false;
  }
}
