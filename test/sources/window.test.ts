import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { earliestWall, latestWall, offsetAtWall, wallMillisAt } from "../../src/sources/time/window.ts";

const berlin = "Europe/Berlin";
const at = (text: string) => Date.parse(text);
const read = (wall: number) => new Date(wall).toISOString().slice(0, 19);

describe("wall clocks", () => {
  it("begin a window right after the clock was put back when that is soon", () => {
    expect(read(earliestWall(at("2025-10-26T00:50:00Z"), berlin))).toBe("2025-10-26T02:00:00");
  });

  it("end a window at the latest reading of the hour that repeats", () => {
    expect(read(latestWall(at("2025-10-26T01:10:00Z"), berlin))).toBe("2025-10-26T02:59:59");
  });

  it("are read plainly on every other day", () => {
    const noon = at("2025-06-01T10:00:00Z");
    expect([earliestWall(noon, berlin), latestWall(noon, berlin)]).toEqual([
      wallMillisAt(noon, berlin),
      wallMillisAt(noon, berlin),
    ]);
  });

  it("never show an earlier reading later, nor have shown a later one earlier", () => {
    const around = fc.tuple(
      fc.constantFrom("Europe/Berlin", "Australia/Lord_Howe", "America/St_Johns", "Africa/Casablanca", "UTC"),
      fc.integer({ min: at("2024-01-01T00:00:00Z"), max: at("2026-12-31T00:00:00Z") }),
      fc.integer({ min: 0, max: 72 * 3_600_000 }),
    );
    fc.assert(
      fc.property(around, ([zone, from, later]) => {
        expect(earliestWall(from, zone)).toBeLessThanOrEqual(wallMillisAt(from + later, zone));
        expect(latestWall(from + later, zone)).toBeGreaterThanOrEqual(wallMillisAt(from, zone));
      }),
      { numRuns: 2_000 },
    );
  });

  it("take the earlier of two instants in the hour that repeats", () => {
    expect(offsetAtWall(at("2025-10-26T02:30:00Z"), berlin)).toBe("+02:00");
    expect(offsetAtWall(at("2025-10-26T03:30:00Z"), berlin)).toBe("+01:00");
  });
});
