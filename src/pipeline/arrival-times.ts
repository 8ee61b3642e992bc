import { z } from "zod";
import { DAY_MS, HOUR_MS, type Outcome } from "#model";
import { latencyBoundsMs } from "#telemetry";
import { noteOfEach } from "./notes.ts";
import type { Delivery } from "./observer.ts";

/** Upper bounds of the buckets in milliseconds: those of the metric, and a last bucket without a bound. */
const BUCKETS = [...latencyBoundsMs, Infinity];

/** Outcomes after which the service holds what the ERP showed. */
const ARRIVED: ReadonlySet<Outcome> = new Set(["created", "adopted", "updated", "deleted"]);

const shape = z.array(z.object({ hourAt: z.number(), counts: z.array(z.number()) }));

/** How many changes of one hour fell into each bucket. */
export type ArrivalHour = z.infer<typeof shape>[number];

/** How long the stream's changes of the last hours took to arrive. */
export const arrivalsNote = noteOfEach("arrivals", shape);

/** The time within which half and 95 % of the changes arrived, in milliseconds. Infinity means more than three days. */
export interface ArrivalTimes {
  readonly medianMs: number;
  readonly p95Ms: number;
}

/** Milliseconds from "first seen in the ERP" to "written" for the delivered change; undefined if none arrived. */
export function arrivalMs(delivery: Delivery): number | undefined {
  return delivery.kind === "done" && ARRIVED.has(delivery.outcome) ? delivery.sinceChangeMs : undefined;
}

/** Returns the counts by bucket with one more change that took `ms`. */
export function withArrival(counts: readonly number[] | undefined, ms: number): number[] {
  const bucket = BUCKETS.findIndex((bound) => ms <= bound);
  return BUCKETS.map((_, at) => (counts?.[at] ?? 0) + (at === bucket ? 1 : 0));
}

/** Adds counts by bucket to the current hour and drops hours that are more than a day old. */
export function addArrivals(known: readonly ArrivalHour[], added: readonly number[], now: number): ArrivalHour[] {
  const hourAt = now - (now % HOUR_MS);
  const kept = known.filter((hour) => hour.hourAt > now - DAY_MS && hour.hourAt < hourAt);
  const current = known.find((hour) => hour.hourAt === hourAt);
  const counts = BUCKETS.map((_, at) => (current?.counts[at] ?? 0) + (added[at] ?? 0));
  return [...kept, { hourAt, counts }];
}

/** Returns the times of the last 24 hours, rounded up to the bound of their bucket; undefined if nothing was written. */
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
