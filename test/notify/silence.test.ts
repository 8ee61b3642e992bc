import { describe, expect, it } from "vitest";
import { silentStreams } from "#notify";
import { noCounts, type HistoryHour } from "#store";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const now = Date.UTC(2026, 10, 22, 12);

/** Hours of a stream in which polls succeeded; those for which `isActive` brought a change. */
function hoursOf(days: number, isActive: (at: Date) => boolean): HistoryHour[] {
  return Array.from({ length: days * 24 }, (_, back) => now - (days * 24 - back) * HOUR).map((hourAt) => {
    const changed = isActive(new Date(hourAt)) ? 3 : 0;
    return { ...noCounts, stream: "orders", hourAt, polls: 120, changed };
  });
}

const until = (ms: number) => hoursOf(28, (at) => at.getTime() < now - ms);
const officeHours = (at: Date) => at.getUTCDay() % 6 !== 0 && at.getUTCHours() >= 8 && at.getUTCHours() < 17;
const silent = (hours: HistoryHour[], limit: "auto" | number = "auto") => silentStreams(hours, ["orders"], limit, now);

describe("silence", () => {
  it("is no weekend, where every weekend was quiet", () => {
    expect(silent(hoursOf(28, officeHours))).toEqual([]);
  });

  it("is twice the longest pause that there was", () => {
    const stopped = now - 6 * DAY;
    const found = silent(hoursOf(28, (at) => officeHours(at) && at.getTime() < stopped));
    // From Friday's last hour to Monday's first: 64 hours.
    expect(found).toMatchObject([{ stream: "orders", expectedMs: 2 * 64 * HOUR }]);
    expect(now - found[0]!.lastAt).toBeGreaterThan(2 * 64 * HOUR);
  });

  it("is at least a day, however busy the stream was", () => {
    expect(silent(until(23 * HOUR))).toEqual([]);
    expect(silent(until(26 * HOUR))).toMatchObject([{ expectedMs: DAY }]);
  });

  it("is not learned from less than two weeks, nor from a stream that is hardly used, nor where nothing ever came", () => {
    expect(silent(hoursOf(13, (at) => at.getTime() < now - 3 * DAY))).toEqual([]);
    expect(silent(hoursOf(28, (at) => at.getTime() < now - 27 * DAY && at.getUTCHours() === 15))).toEqual([]);
    expect(silent(hoursOf(28, () => false))).toEqual([]);
  });

  it("is what the settings say where they say it", () => {
    const hours = hoursOf(5, (at) => at.getTime() < now - 10 * HOUR);
    expect(silent(hours, 12 * HOUR)).toEqual([]);
    expect(silent(hours, 4 * HOUR)).toMatchObject([{ lastAt: now - 10 * HOUR, expectedMs: 4 * HOUR }]);
  });
});
