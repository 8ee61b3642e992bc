import { z } from "zod";

/** A span of the day on some weekdays (1 is Monday), in minutes after midnight. If `to` is before `from`, the span ends on the next day. */
interface QuietSpan {
  readonly days: readonly number[];
  readonly from: number;
  readonly to: number;
}

/** The times during which messages wait. */
export type QuietHours = readonly QuietSpan[];

const wanted = "spans such as 22:00-07:00, or Mon-Fri 18:00-07:00, Sat-Sun";
const dayNames = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const everyDay = [1, 2, 3, 4, 5, 6, 7];
const minutesOfDay = 24 * 60;
const day = "(?:mon|tue|wed|thu|fri|sat|sun)";
const span = new RegExp(`^(?:(${day})(?:-(${day}))?)?\\s*(?:(\\d{1,2}):(\\d{2})-(\\d{1,2}):(\\d{2}))?$`, "i");

/** Parses `Mon-Fri 18:00-07:00, Sat-Sun`; days without times mean the whole day. */
export const quietHours = z.string().transform((text, context): QuietHours => {
  const spans = text.split(",").map((part) => spanOf(part.trim()));
  const known = spans.filter((each) => each !== undefined);
  if (known.length < spans.length) context.addIssue({ code: "custom", message: wanted });
  return known;
});

function spanOf(text: string): QuietSpan | undefined {
  const found = span.exec(text);
  if (found === null || text === "") return undefined;
  const [, first, last = first, ...times] = found;
  const days = first === undefined ? everyDay : daysBetween(first, last!);
  if (times[0] === undefined) return { days, from: 0, to: minutesOfDay };
  const [fromHour = 0, fromMinute = 0, toHour = 0, toMinute = 0] = times.map(Number);
  const from = fromHour * 60 + fromMinute;
  const to = toHour * 60 + toMinute;
  if (fromMinute > 59 || toMinute > 59 || from >= minutesOfDay || to > minutesOfDay || from === to) return undefined;
  return { days, from, to };
}

/** The weekdays from `first` to `last`; `Fri-Mon` includes the weekend. */
function daysBetween(first: string, last: string): number[] {
  const [from, to] = [dayNumber(first), dayNumber(last)];
  return from <= to
    ? everyDay.filter((number) => number >= from && number <= to)
    : everyDay.filter((number) => number >= from || number <= to);
}

function dayNumber(name: string): number {
  return dayNames.indexOf(name.toLowerCase()) + 1;
}
