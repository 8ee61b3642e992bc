import { z } from "zod";
import { DAY_MS, HOUR_MS, type Json } from "#model";
import type { ReturnStream } from "#mapping";
import type { ReturnMark } from "#store";

/** What was handed over in this hour, and the busiest hour of each of the last days. */
const rateShape = z.object({
  hour: z.number(),
  count: z.number(),
  days: z.array(z.object({ day: z.number(), most: z.number() })),
});
type Rate = z.output<typeof rateShape>;

const DAYS = 14;
/** Below this many in an hour, nothing is unusual: a service of ten people approves as many on a Friday. */
const UNSUSPICIOUS = 50;
const TIMES_USUAL = 3;

function readRate(stored: Json | undefined): Rate {
  const { data } = rateShape.safeParse(stored);
  return data ?? { hour: 0, count: 0, days: [] };
}

/** The busiest hour of the last days, in returns. What a clock counted that was ahead says nothing. */
function usualOf({ days }: Rate, now: number): number {
  return Math.max(0, ...recent(days, dayOf(now)).map(({ most }) => most));
}

function recent(days: Rate["days"], today: number): Rate["days"] {
  return days.filter(({ day }) => day > today - DAYS && day <= today);
}

/**
 * Whether so many returns may be handed over now. Otherwise gives what a person is to see. Reports are counted unless the sync file
 * says `guard: off`; status and state only where it gives a number.
 */
export function guardReturns(
  { guard, kind }: Pick<ReturnStream, "guard" | "kind">,
  { rate: stored, released = 0 }: Pick<ReturnMark, "rate" | "released">,
  due: number,
  now: number,
): NonNullable<ReturnMark["held"]> | undefined {
  if (guard === "off" || (guard === undefined && kind !== "reports")) return undefined;
  const rate = readRate(stored);
  const usual = usualOf(rate, now);
  const limit = guard ?? Math.max(UNSUSPICIOUS, TIMES_USUAL * usual);
  const count = (rate.hour === hourOf(now) ? rate.count : 0) + due;
  return count > limit + released ? { at: now, count: due, usual } : undefined;
}

/** The rate after `count` more were handed over; those that a person released say nothing about what is usual. */
export function withCounted(stored: Json | undefined, count: number, now: number): Rate {
  const rate = readRate(stored);
  const hour = hourOf(now);
  const total = (rate.hour === hour ? rate.count : 0) + count;
  const day = dayOf(now);
  const days = recent(rate.days, day);
  const most = Math.max(total, ...days.filter((one) => one.day === day).map((one) => one.most));
  return { hour, count: total, days: [{ day, most }, ...days.filter((one) => one.day !== day)] };
}

function dayOf(at: number): number {
  return Math.floor(at / DAY_MS);
}

function hourOf(at: number): number {
  return Math.floor(at / HOUR_MS);
}
