import { DAY_MS, HOUR_MS, type StreamName } from "#model";
import type { HistoryHour } from "#store";
import type { NoticeFacts } from "./conditions.ts";

/** How far back `auto` looks for the longest pause, in milliseconds. */
export const SILENCE_SPAN_MS = 28 * DAY_MS;
/** History that `auto` needs before it expects anything, in milliseconds. */
const LEARNED_MS = 14 * DAY_MS;
const LEARNED_HOURS = 10;
const FACTOR = 2;
const LEAST_MS = DAY_MS;

/**
 * The streams without a change for longer than expected. Expected is the limit or, with `auto`, twice the longest pause of the last four
 * weeks, at least a day. With `auto`, a rarely used stream is never silent.
 */
export function silentStreams(
  hours: readonly HistoryHour[],
  streams: readonly StreamName[],
  limit: "auto" | number,
  now: number,
): NoticeFacts["silent"] {
  return streams.flatMap((stream) => {
    const own = hours.filter((hour) => hour.stream === stream);
    const active = own.filter(({ changed }) => changed > 0).map(({ hourAt }) => hourAt);
    const first = own[0]?.hourAt;
    const last = active.at(-1);
    if (first === undefined || last === undefined) return [];
    const expectedMs = limit === "auto" ? learned(active, first, now) : limit;
    // The change may have come at the end of its hour.
    const lastAt = Math.min(now, last + HOUR_MS);
    return expectedMs !== undefined && now - lastAt > expectedMs ? [{ stream, lastAt, expectedMs }] : [];
  });
}

function learned(active: readonly number[], first: number, now: number): number | undefined {
  if (now - first < LEARNED_MS || active.length < LEARNED_HOURS) return undefined;
  const pauses = active.slice(1).map((at, index) => at - active[index]!);
  return Math.max(LEAST_MS, FACTOR * Math.max(...pauses));
}
