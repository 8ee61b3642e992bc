import { Temporal } from "temporal-polyfill";
import type { QuietHours } from "#settings";

/** Whether messages wait at this moment. A span over midnight belongs to the day on which it begins. */
export function isQuiet(quiet: QuietHours | undefined, zone: string, at: number): boolean {
  if (quiet === undefined) return false;
  const local = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone);
  const minute = local.hour * 60 + local.minute;
  const dayBefore = local.dayOfWeek === 1 ? 7 : local.dayOfWeek - 1;
  return quiet.some(({ days, from, to }) => {
    if (from < to) return days.includes(local.dayOfWeek) && minute >= from && minute < to;
    return (days.includes(local.dayOfWeek) && minute >= from) || (days.includes(dayBefore) && minute < to);
  });
}
