import { counted, type StreamName } from "#model";
import { html, type Html } from "#server";
import type { HistoryHour } from "#store";

const HOUR_MS = 3_600_000;
const HOURS = 24;
/** Sizes in pixels: a bar, from one bar to the next, and the whole. */
const bar = 4;
const step = 5;
const height = 24;

/** The beginning of the first hour that a sparkline shows; the last one is the hour of `now`. */
export function sparklineSince(now: number): number {
  return (Math.floor(now / HOUR_MS) - HOURS + 1) * HOUR_MS;
}

/** What a stream delivered in each of the last 24 hours, as bars from old to new, and the same in words. */
export function sparkline(stream: StreamName, history: readonly HistoryHour[], now: number): Html {
  const since = sparklineSince(now);
  const delivered = Array.from({ length: HOURS }, () => 0);
  for (const hour of history) {
    const at = Math.floor((hour.hourAt - since) / HOUR_MS);
    if (hour.stream === stream && at >= 0 && at < HOURS)
      delivered[at]! += hour.created + hour.adopted + hour.updated + hour.deleted;
  }
  const total = delivered.reduce((sum, count) => sum + count, 0);
  if (total === 0) return html`<span class="quiet">none</span>`;
  const most = Math.max(...delivered);
  const last = delivered.findLastIndex((count) => count > 0);
  const ago = last === HOURS - 1 ? "in this hour" : `${counted(HOURS - 1 - last, "hour")} ago`;
  const text = `${stream}: ${counted(total, "record")} delivered in the last 24 hours, at most ${most.toLocaleString("en")} in an hour, the last ${ago}`;
  return html`<svg
      class="bars"
      role="img"
      aria-label="${text}"
      viewBox="0 0 ${HOURS * step} ${height}"
      width="${HOURS * step}"
      height="${height}"
    >
      <title>${text}</title>
      ${delivered.map((count, at) => oneBar(at, count / most))}</svg
    ><br /><span class="quiet">${total.toLocaleString("en")}</span>`;
}

/** An hour with anything is at least a line, so that one delivery beside thousands is seen. */
function oneBar(at: number, share: number): Html {
  const tall = share === 0 ? 0 : Math.max(1, Math.round(share * height));
  return html`<rect x="${at * step}" y="${height - tall}" width="${bar}" height="${tall}"></rect>`;
}
