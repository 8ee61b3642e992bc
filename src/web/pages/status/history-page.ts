import { DAY_MS, counted, grouped, type StreamName } from "#model";
import { html, scrollingTable, type Html } from "#server";
import { addCounts, historyDays, noCounts, type Counts, type HistoryHour } from "#store";
import { bars, delivered } from "../frame/bars.ts";
import { cell, page, type Frame } from "../frame/layout.ts";

/** Rows of the table, then sizes in pixels: total width, width of one bar, height. */
const rowsMax = 14;
const width = 1_200;
const stepMax = 24;
const height = 120;

interface HistoryPage {
  readonly stream: StreamName;
  /** Hours of this stream, oldest first. */
  readonly hours: readonly HistoryHour[];
  readonly frame: Frame;
  readonly now: number;
}

/** A day in UTC. */
interface Day {
  readonly name: string;
  readonly counts: Counts;
}

/** The beginning of the first day that the page shows; the last day is that of `now`. */
export function historySince(now: number): number {
  return (dayOf(now) - historyDays + 1) * DAY_MS;
}

/** What a stream did, day by day. */
export function historyPage({ stream, hours, frame, now }: HistoryPage): Html {
  const days = daysOf(hours, now);
  return page({
    title: `svcsync: history of ${stream}`,
    frame,
    main: html`<h1>History of ${stream}</h1>
      ${days.length === 0 ? html`<p>Nothing was recorded of ${stream} yet. svcsync adds to it once a minute.</p>` : shown(stream, days)}`,
  });
}

function shown(stream: StreamName, days: readonly Day[]): Html {
  const step = Math.min(stepMax, Math.floor(width / days.length));
  const drawn = days.map((day) => ({
    count: delivered(day.counts),
    title: dayText(day),
    isMarked: isTroubled(day),
  }));
  const latest = days.slice(-rowsMax).toReversed();
  return html`<p>Records delivered per day (UTC), from ${days[0]?.name} to ${days.at(-1)?.name}.</p>
    ${bars(chartText(stream, days), drawn, { step, height })} ${days.some(isTroubled) ? legend : undefined}
    <h2>The last days</h2>
    ${scrollingTable(heads, latest.map(dayRow), `The last ${counted(latest.length, "day")} of ${stream}, newest first`)}
    <p>
      All that is kept, by hour:
      <code class="command">svcsync history --since ${historyDays}d --stream ${stream} --csv</code>
    </p>`;
}

const legend = html`<p class="quiet">
  A red mark is below each day with parked or uncertain records or failed polls.
</p>`;

const heads = ["Day (UTC)", "Polls", "Failed polls", "Changed in the ERP", "Delivered", "Parked or uncertain"];

function dayRow({ name, counts }: Day): Html {
  const { polls, pollFailures, changed } = counts;
  const numbers = [polls, pollFailures, changed, delivered(counts), stuck(counts)];
  return html`<tr>
    <th scope="row">${name}</th>
    ${numbers.map((count, at) => cell(heads[at + 1] ?? "", grouped(count)))}
  </tr>`;
}

function chartText(stream: StreamName, days: readonly Day[]): string {
  const counts = days.map((day) => delivered(day.counts));
  const total = counts.reduce((sum, count) => sum + count, 0);
  return `${stream}: ${counted(total, "record")} delivered in ${counted(days.length, "day")}, at most ${grouped(Math.max(...counts))} in a day, ${counted(days.filter(isTroubled).length, "day")} with parked or uncertain records or failed polls`;
}

function dayText({ name, counts }: Day): string {
  const troubles = [
    stuck(counts) === 0 ? [] : `${counted(stuck(counts), "record")} parked or uncertain`,
    counts.pollFailures === 0 ? [] : counted(counts.pollFailures, "failed poll"),
  ];
  return [`${name}: ${counted(delivered(counts), "record")} delivered`, ...troubles.flat()].join(", ");
}

function stuck({ parked, uncertain }: Counts): number {
  return parked + uncertain;
}

function isTroubled({ counts }: Day): boolean {
  return stuck(counts) + counts.pollFailures > 0;
}

/** All days from the first hour to `now`, including empty ones. */
function daysOf(hours: readonly HistoryHour[], now: number): Day[] {
  const first = dayOf(hours[0]?.hourAt ?? Infinity);
  const days = Array.from({ length: Math.max(0, dayOf(now) - first + 1) }, (_, at) => ({
    name: new Date((first + at) * DAY_MS).toISOString().slice(0, "2026-01-01".length),
    counts: { ...noCounts },
  }));
  for (const hour of hours) {
    const day = days[dayOf(hour.hourAt) - first];
    if (day !== undefined) addCounts(day.counts, hour);
  }
  return days;
}

function dayOf(at: number): number {
  return Math.floor(at / DAY_MS);
}
