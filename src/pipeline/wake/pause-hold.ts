import { localTime } from "#model";
import type { Hold } from "./hold.ts";

/** What a person paused until a moment. */
export const pauseHold: Hold = {
  async find({ acts }, stream, now) {
    const found = await acts.pauseOf(stream);
    if (found === undefined || found.until <= now) return undefined;
    const { until, polls, by } = found;
    const what = polls ? "polls and deliveries are" : "delivery is";
    const why = by.why === undefined ? "" : `: ${by.why}`;
    return {
      kind: "pause",
      reason: `${what} paused by ${by.name} until ${localTime(until)}${why}`,
      remedy: `it continues then, or with "svcsync resume ${stream}"`,
      needsPerson: false,
      polls,
      endsAt: until,
    };
  },
};
