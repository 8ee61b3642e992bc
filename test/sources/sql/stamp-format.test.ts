import { describe, expect, it } from "vitest";
import type { SqlCell } from "../../../src/sources/sql/engines/engine.ts";
import { detectFormat, type FormatName } from "../../../src/sources/sql/markers/stamp-format.ts";
import { detectTimeFormat } from "../../../src/sources/sql/markers/time-format.ts";

const at = Date.parse("2025-03-01T10:20:30.400Z");

const written: readonly (readonly [sample: SqlCell, wanted: FormatName, scale: string, bound: SqlCell])[] = [
  ["2025-03-01 10:20:30", "auto", "wall", "2025-03-01 10:20:30"],
  ["2025-03-01 10:20:30.123456", "sql", "wall", "2025-03-01 10:20:30"],
  ["2025-03-01T10:20:30", "iso", "wall", "2025-03-01T10:20:30"],
  ["2025-03-01T10:20:30.5Z", "auto", "utc", "2025-03-01T10:20:30"],
  ["2025-03-01 10:20", "auto", "wall", "2025-03-01 10:20"],
  ["2025-03-01", "auto", "wall", "2025-03-01"],
  ["20250301102030", "auto", "wall", "20250301102030"],
  [20250301n, "auto", "wall", 20250301n],
  [1740824430n, "auto", "utc", 1740824430n],
  [1740824430400n, "auto", "utc", 1740824430400n],
  [20250301102030n, "compact", "wall", 20250301102030n],
];

describe("stamp formats", () => {
  it.each(written)("writes %s (%s) as its column does", (sample, wanted, scale, bound) => {
    const format = detectFormat(sample, wanted)!;
    expect([format.scale, format.write(at)]).toEqual([scale, bound]);
  });

  it.each(written)("never writes a bound later than the moment, nor much earlier: %s", (sample, wanted) => {
    const format = detectFormat(sample, wanted)!;
    const { grainMs } = format;
    const sampleAt = format.parse(sample)!;
    expect(sampleAt).toBeGreaterThan(at - 2 * grainMs);
    expect(sampleAt).toBeLessThanOrEqual(at + 1_000);
  });

  it.each(["n/a", "", "01.03.2025", "2025-03-01T10:20:30+05:30", "12", true, null])("refuses %s", (sample) => {
    expect(detectFormat(sample, "auto")).toBeUndefined();
  });

  it("refuses another format than the one that was asked for", () => {
    expect(detectFormat("2025-03-01 10:20:30", "iso")).toBeUndefined();
    expect(detectFormat(1740824430n, "epochMillis")?.parse(1740824430n)).toBe(1740824430);
  });

  it("refuses a row in another shape than the sample's, whose order would not be that of time", () => {
    const format = detectFormat("2025-03-01 10:20:30", "auto")!;
    expect(format.parse("2025-03-01T10:20:30")).toBeUndefined();
    expect(format.parse("2025-03-01 10:20:30Z")).toBeUndefined();
    expect(format.parse("2025-03-01 10:20:30.9")).toBe(Date.parse("2025-03-01T10:20:30.900Z"));
  });
});

describe("time formats", () => {
  const ofDay = ((10 * 60 + 5) * 60 + 9) * 1000;
  it.each([
    ["08:00:00", "auto", "10:05:09", ofDay],
    ["08:00", "auto", "10:05", ofDay - 9_000],
    ["080000", "auto", "100509", ofDay],
    [80000n, "auto", 100509n, ofDay],
    [800n, "hhmm", 1005n, ofDay - 9_000],
    [28800n, "seconds", 36309n, ofDay],
  ] as const)("writes and reads %s (%s)", (sample, wanted, text, back) => {
    const format = detectTimeFormat(sample, wanted)!;
    expect(format.write(ofDay)).toBe(text);
    expect(format.parse(text)).toBe(back);
  });

  it("reads numbers that lost their leading zeros", () => {
    expect(detectTimeFormat(93015n, "auto")!.parse(93015n)).toBe(((9 * 60 + 30) * 60 + 15) * 1000);
    expect(detectTimeFormat(93015n, "auto")!.parse(7n)).toBe(7_000);
  });
});
