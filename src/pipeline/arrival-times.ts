import { z } from "zod";
import type { StreamName } from "#model";
import type { Note } from "#store";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Upper bounds of the times from "first seen in the ERP" to "written", in milliseconds, as the metric's; the last bucket has none. */
const BOUNDS_MS = [
  100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 300_000, 900_000, 3_600_000, 14_400_000, 86_400_000,
  259_200_000,
];

const shape = z.array(z.object({ hourAt: z.number(), counts: z.array(z.number()) }));

/** How many changes of an hour took how long, by bucket. */
export type ArrivalHour = z.infer<typeof shape>[number];

/** How long changes of the stream took in the last hours. */
export function arrivalsNote(stream: StreamName): Note<ArrivalHour[]> {
  return { name: `arrivals/${stream}`, schema: shape };
}

/** Half and 95 % of the changes took at most so long, in milliseconds; Infinity: more than three days. */
export interface ArrivalTimes {
  readonly medianMs: number;
  readonly p95Ms: number;
}

/** Adds times to what is known; hours that are more than a day old are dropped. */
export function addArrivals(known: readonly ArrivalHour[], times: readonly number[], now: number): ArrivalHour[] {
  const hourAt = now - (now % HOUR_MS);
  const kept = known.filter((hour) => hour.hourAt > now - DAY_MS && hour.hourAt < hourAt);
  const current = known.find((hour) => hour.hourAt === hourAt);
  const counts = [...BOUNDS_MS, Infinity].map((_, at) => current?.counts[at] ?? 0);
  for (const time of times) {
    const at = BOUNDS_MS.findIndex((bound) => time <= bound);
    const bucket = at === -1 ? BOUNDS_MS.length : at;
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  return [...kept, { hourAt, counts }];
}

/** The times of the last 24 hours, to the upper bound of their bucket; undefined where nothing was written. */
export function arrivalTimes(hours: readonly ArrivalHour[], now: number): ArrivalTimes | undefined {
  const counts = [...BOUNDS_MS, Infinity].map((_, at) =>
    hours.filter(({ hourAt }) => hourAt > now - DAY_MS).reduce((sum, hour) => sum + (hour.counts[at] ?? 0), 0),
  );
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  return { medianMs: boundOf(counts, total / 2), p95Ms: boundOf(counts, total * 0.95) };
}

function boundOf(counts: readonly number[], rank: number): number {
  let seen = 0;
  const at = counts.findIndex((count) => (seen += count) >= rank);
  return BOUNDS_MS[at] ?? Infinity;
}
