import { describe, expect, it } from "vitest";
import { isQuiet } from "../../src/notify/quiet-hours.ts";
import { quietHours } from "../../src/settings/schema/quiet-hours.ts";

const zone = "Europe/Berlin";
/** 2026-11-20 is a Friday; Berlin is an hour ahead of UTC then. */
const berlin = (text: string) => Date.parse(`${text}:00+01:00`);
const quietAt = (hours: string, at: string) => isQuiet(quietHours.parse(hours), zone, berlin(at));

describe("quiet hours", () => {
  it.each([
    ["22:00-07:00", "2026-11-20T21:59", false],
    ["22:00-07:00", "2026-11-20T22:00", true],
    ["22:00-07:00", "2026-11-21T06:59", true],
    ["22:00-07:00", "2026-11-21T07:00", false],
    ["Sat-Sun", "2026-11-20T23:59", false],
    ["Sat-Sun", "2026-11-21T00:00", true],
    ["Sat-Sun", "2026-11-22T23:59", true],
    ["Sat-Sun", "2026-11-23T00:00", false],
    ["Mon-Fri 18:00-07:00, Sat-Sun", "2026-11-21T03:00", true],
    ["Mon-Fri 18:00-07:00, Sat-Sun", "2026-11-23T06:59", false],
    ["Fri-Mon 12:00-13:00", "2026-11-22T12:30", true],
    ["Fri-Mon 12:00-13:00", "2026-11-24T12:30", false],
    ["sun 20:00-06:00", "2026-11-23T05:00", true],
  ])("%s at %s: %s", (hours, at, quiet) => {
    expect(quietAt(hours, at)).toBe(quiet);
  });

  it("follow the clock that people see, over a change to summer time", () => {
    const hours = quietHours.parse("22:00-07:00");
    expect(isQuiet(hours, zone, Date.parse("2026-03-29T04:59:00Z"))).toBe(true);
    expect(isQuiet(hours, zone, Date.parse("2026-03-29T05:00:00Z"))).toBe(false);
  });

  it("are none where none are set", () => {
    expect(isQuiet(undefined, zone, 0)).toBe(false);
  });

  it.each([
    "",
    "25:00-07:00",
    "22:00-07:61",
    "22-7",
    "always",
    "Mon-",
    "Mon 08:00",
    "08:00-08:00",
    "Mon-Fri 18:00-07:00;",
  ])("refuse %j in one sentence", (text) => {
    const refused = quietHours.safeParse(text);
    expect(refused.error?.issues.map(({ message }) => message)).toEqual([
      "spans such as 22:00-07:00, or Mon-Fri 18:00-07:00, Sat-Sun",
    ]);
  });
});
