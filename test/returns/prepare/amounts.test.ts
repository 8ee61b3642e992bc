import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { errorFacts } from "#model";
import { amountsOf } from "../../../src/returns/prepare/amounts.ts";

const PLACE = { stream: "reports", kind: "time" };
const lines = (amounts: readonly (number | null)[]) => amounts.map((amount, at) => ({ id: at + 1, amount }));

describe("amounts", () => {
  it.each<[string, number, number, string]>([
    ["half up", 0.125, 2, "0.13"],
    ["half away from zero", -0.125, 2, "-0.13"],
    ["what is half as people write it, and less as a double", 1.005, 2, "1.01"],
    ["the noise of doubles away", 0.1 + 0.2, 1, "0.3"],
    ["half a minute of hours", 30_000 / 3_600_000, 2, "0.01"],
    ["to whole numbers", 2.5, 0, "3"],
    ["to nothing", -0.004, 2, "0.00"],
    ["to four digits", 9_999_999_999.123_45, 4, "9999999999.1235"],
  ])("round %s", (_what, amount, digits, text) => {
    expect(amountsOf(lines([amount]), { digits, remainder: "refuse" }, PLACE)).toEqual([text]);
  });

  it("stay as they are without rounding, and null stays null", () => {
    expect(amountsOf(lines([12.3, 5, null, 0.0001, -2.5, 0.1 + 0.2]), undefined, PLACE)).toEqual([
      "12.3",
      "5",
      null,
      "0.0001",
      "-2.5",
      "0.3",
    ]);
  });

  it.each([
    [0.000_05, "reports.time: line 1 has an amount with more than four digits behind the point; round it"],
    [1e14, "reports.time: line 1 has an amount with more than 14 digits before the point"],
    [Number.NaN, "reports.time: line 1 has an amount with more than 14 digits before the point"],
  ])("park what an inbox cannot hold: %s", (amount, message) => {
    expect(() => amountsOf(lines([amount]), undefined, PLACE)).toThrow(
      expect.objectContaining({ code: "E_MAPPING", message: expect.stringContaining(message) }),
    );
  });

  it("that do not add up are refused, unless the last line takes the remainder", () => {
    const thirds = lines([1 / 3, 1 / 3, 1 / 3, 0]);
    expect(() => amountsOf(thirds, { digits: 2, remainder: "refuse" }, PLACE)).toThrow(
      expect.objectContaining({
        code: "E_RETURN_SUM",
        family: "park",
        message:
          "reports: the rounded lines of time add up to 0.99, the rounded total is 1.00; set remainder: last, or round to more digits",
        details: { ...PLACE, found: "0.99", expected: "1.00" },
      }),
    );
    expect(amountsOf(thirds, { digits: 2, remainder: "last" }, PLACE)).toEqual(["0.33", "0.33", "0.34", "0.00"]);
  });

  it("never turn the last line around", () => {
    expect(() =>
      amountsOf(lines([0.006, 0.006, 0.006, 0.006, 0.006]), { digits: 2, remainder: "last" }, PLACE),
    ).toThrow(expect.objectContaining({ code: "E_RETURN_SUM" }));
    expect(amountsOf(lines([10.005, -2.001]), { digits: 2, remainder: "last" }, PLACE)).toEqual(["10.01", "-2.01"]);
  });

  it.each(["last", "refuse"] as const)(
    "of times add up to the rounded sum of the milliseconds, or are refused: %s",
    (remainder) => {
      const times = fc.array(fc.integer({ min: -86_400_000, max: 86_400_000 }), { maxLength: 30 });
      fc.assert(
        fc.property(times, fc.integer({ min: 0, max: 4 }), (ms, digits) => {
          const hours = lines(ms.map((one) => one / 3_600_000));
          const found = outcome(() =>
            amountsOf(hours, { digits, remainder }, PLACE).map((text) => units(text, digits)),
          );
          expect(found).toEqual(expected(ms, 3_600_000 / 10 ** digits, remainder));
        }),
        { seed: 34, numRuns: 3_000 },
      );
    },
  );
});

/** What whole milliseconds come to in whole units, reckoned without fractions. */
function expected(ms: readonly number[], unit: number, remainder: "last" | "refuse"): number[] | string {
  const rounded = ms.map((one) => quotient(one, unit));
  const rest = quotient(sum(ms), unit) - sum(rounded);
  if (rest === 0) return rounded;
  const last = ms.findLastIndex((one) => one !== 0);
  const value = rounded[last]! + rest;
  if (remainder === "refuse" || value * ms[last]! < 0) return "E_RETURN_SUM";
  return rounded.with(last, value);
}

function outcome(make: () => number[]): number[] | string {
  try {
    return make();
  } catch (thrown) {
    return errorFacts(thrown).code;
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((one, other) => one + other, 0);
}

/** Half away from zero. */
function quotient(value: number, unit: number): number {
  return Math.sign(value) * Math.floor(Math.abs(value) / unit + 0.5) + 0;
}

function units(text: string | null, digits: number): number {
  return Math.round(Number(text) * 10 ** digits) + 0;
}
