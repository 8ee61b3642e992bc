import { z } from "zod";
import { DAY_MS, HOUR_MS, type Outcome } from "#model";
import { latencyBoundsMs } from "#telemetry";
import { noteOfEach } from "./notes.ts";
import type { Delivery } from "./observer.ts";

/** The bounds are the metric's; the last bucket has none. */
const BUCKETS = [...latencyBoundsMs, Infinity];

/** Outcomes after which the service holds what the ERP showed. */
const ARRIVED: ReadonlySet<Outcome> = new Set(["created", "adopted", "updated", "deleted"]);

const shape = z.array(z.object({ hourAt: z.number(), counts: z.array(z.number()) }));

/** How many changes of an hour took how long, by bucket. */
export type ArrivalHour = z.infer<typeof shape>[number];

/** How long changes of the stream took in the last hours. */
export const arrivalsNote = noteOfEach("arrivals", shape);

/** Half and 95 % of the changes took at most so long, in milliseconds; Infinity: more than three days. */
export interface ArrivalTimes {
  readonly medianMs: number;
  readonly p95Ms: number;
}

/** How long the delivered change took from "first seen in the ERP" to "written"; undefined where none arrived. */
export function arrivalMs(delivery: Delivery): number | undefined {
  return delivery.kind === "done" && ARRIVED.has(delivery.outcome) ? delivery.sinceChangeMs : undefined;
}

/** Counts by bucket, with one more change that took so long. */
export function withArrival(counts: readonly number[] | undefined, ms: number): number[] {
  const bucket = BUCKETS.findIndex((bound) => ms <= bound);
  return BUCKETS.map((_, at) => (counts?.[at] ?? 0) + (at === bucket ? 1 : 0));
}

/** Adds counts by bucket to what is known; hours that are more than a day old are dropped. */
export function addArrivals(known: readonly ArrivalHour[], added: readonly number[], now: number): ArrivalHour[] {
  const hourAt = now - (now % HOUR_MS);
  const kept = known.filter((hour) => hour.hourAt > now - DAY_MS && hour.hourAt < hourAt);
  const current = known.find((hour) => hour.hourAt === hourAt);
  const counts = BUCKETS.map((_, at) => (current?.counts[at] ?? 0) + (added[at] ?? 0));
  return [...kept, { hourAt, counts }];
}

/** The times of the last 24 hours, to the upper bound of their bucket; undefined where nothing was written. */
export function arrivalTimes(hours: readonly ArrivalHour[], now: number): ArrivalTimes | undefined {
  const counts = BUCKETS.map((_, at) =>
    hours.filter(({ hourAt }) => hourAt > now - DAY_MS).reduce((sum, hour) => sum + (hour.counts[at] ?? 0), 0),
  );
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  return { medianMs: boundOf(counts, total / 2), p95Ms: boundOf(counts, total * 0.95) };
}

function boundOf(counts: readonly number[], rank: number): number {
  let seen = 0;
  return BUCKETS[counts.findIndex((count) => (seen += count) >= rank)] ?? Infinity;
}
