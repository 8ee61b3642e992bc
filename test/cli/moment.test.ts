import { describe, expect, it } from "vitest";
import { dayOrMomentArgument, durationArgument, momentArgument } from "../../src/cli/arguments.ts";

describe("a moment on the command line", () => {
  it("without a day is the next time that the clock shows it", () => {
    const at = momentArgument("18:00");
    const shown = new Date(at);
    expect([shown.getHours(), shown.getMinutes()]).toEqual([18, 0]);
    expect(at).toBeGreaterThan(Date.now());
    expect(at - Date.now()).toBeLessThanOrEqual(25 * 3_600_000);
  });

  it("with a day is local time, or the offset's", () => {
    expect(momentArgument("2026-11-22 18:00")).toBe(new Date(2026, 10, 22, 18).getTime());
    expect(momentArgument("2026-11-22T18:00:30+02:00")).toBe(Date.UTC(2026, 10, 22, 16, 0, 30));
  });

  it("is a day from 00:00 UTC where the sync file takes one too", () => {
    expect(dayOrMomentArgument("2026-11-22")).toBe(Date.UTC(2026, 10, 22));
    expect(dayOrMomentArgument("2026-11-22T18:00:00+02:00")).toBe(Date.UTC(2026, 10, 22, 16));
    expect(() => dayOrMomentArgument("2026-13-22")).toThrow("expected a time");
  });

  it.each(["", "tomorrow", "24:00", "18:60", "18", "2026-13-22 18:00", "22.11.2026"])("is refused as %j", (text) => {
    expect(() => momentArgument(text)).toThrow("expected a time such as 18:00 or 2026-11-22 18:00");
  });
});

describe("a duration on the command line", () => {
  it("has a unit", () => {
    expect(["30s", "10m", "2h", "1d"].map(durationArgument)).toEqual([30_000, 600_000, 7_200_000, 86_400_000]);
  });

  it.each(["", "10", "0m", "-1h", "1.5h", "2w"])("is refused as %j", (text) => {
    expect(() => durationArgument(text)).toThrow("expected a duration such as 10m, 2h or 1d");
  });
});
