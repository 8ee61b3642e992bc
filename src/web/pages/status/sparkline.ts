import { HOUR_MS, counted, grouped, type StreamName } from "#model";
import { html, type Html } from "#server";
import type { HistoryHour } from "#store";
import { bars, delivered } from "../frame/bars.ts";

const HOURS = 24;

/** The beginning of the first hour of a sparkline; the last hour is that of `now`. */
export function sparklineSince(now: number): number {
  return (Math.floor(now / HOUR_MS) - HOURS + 1) * HOUR_MS;
}

/** What a stream delivered in each of the last 24 hours, as bars from old to new, with a text alternative. */
export function sparkline(stream: StreamName, history: readonly HistoryHour[], now: number): Html {
  const since = sparklineSince(now);
  const counts = Array.from({ length: HOURS }, () => 0);
  for (const hour of history) {
    const at = Math.floor((hour.hourAt - since) / HOUR_MS);
    if (hour.stream === stream && at >= 0 && at < HOURS) counts[at]! += delivered(hour);
  }
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return html`<span class="quiet">none</span>`;
  const most = Math.max(...counts);
  const last = counts.findLastIndex((count) => count > 0);
  const ago = last === HOURS - 1 ? "in this hour" : `${counted(HOURS - 1 - last, "hour")} ago`;
  const text = `${stream}: ${counted(total, "record")} delivered in the last 24 hours, at most ${grouped(most)} in an hour, the last ${ago}`;
  const shown = bars(
    text,
    counts.map((count) => ({ count })),
    { step: 5, height: 24 },
  );
  return html`${shown}<br /><span class="quiet">${grouped(total)}</span>`;
}
