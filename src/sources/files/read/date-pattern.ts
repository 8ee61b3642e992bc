import { Temporal } from "temporal-polyfill";

const PARTS = {
  YYYY: "(?<year>\\d{4})",
  MM: "(?<month>\\d{1,2})",
  DD: "(?<day>\\d{1,2})",
  HH: "(?<hour>\\d{1,2})",
  mm: "(?<minute>\\d{2})",
  ss: "(?<second>\\d{2})",
};

/**
 * A date as ISO text: a date alone stays one, a date with a time becomes an instant in UTC. Of the two readings in the hour
 * that a clock shows twice, the earlier is taken. Undefined when `text` does not fit the pattern or the calendar.
 */
export function isoDate(text: string, pattern: string, zone: string): string | undefined {
  const groups = expression(pattern).exec(text.trim())?.groups;
  if (groups === undefined) return undefined;
  const part = (name: string) => Number(groups[name] ?? 0);
  try {
    const fields = { year: part("year"), month: part("month"), day: part("day") };
    if (groups["hour"] === undefined) return Temporal.PlainDate.from(fields, { overflow: "reject" }).toString();
    const time = { hour: part("hour"), minute: part("minute"), second: part("second") };
    const local = Temporal.PlainDateTime.from({ ...fields, ...time }, { overflow: "reject" });
    return local.toZonedDateTime(zone, { disambiguation: "earlier" }).toInstant().toString();
  } catch {
    return undefined;
  }
}

function expression(pattern: string): RegExp {
  const escaped = pattern.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(
    `^${escaped.replace(/YYYY|MM|DD|HH|mm|ss/g, (name) => Object.entries(PARTS).find(([key]) => key === name)![1])}$`,
  );
}
