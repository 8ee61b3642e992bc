import { describe, expect, it } from "vitest";
import { parseInTurns } from "#http";
import { parseLossless } from "../../../src/sources/wire/client/lossless-json.ts";

describe("JSON without rounding", () => {
  it.each([
    ["0", 0],
    ["-0.10", -0.1],
    ["123456789012345", 123456789012345],
    ["9007199254740991", 9007199254740991],
    ["9007199254740993", "9007199254740993"],
    ["-9007199254740993", "-9007199254740993"],
    ["1234567890.123456789", "1234567890.123456789"],
    ["0.1000000000000000000001", "0.1000000000000000000001"],
    ["1e3", 1000],
    ["1E+3", 1000],
    ["0e5", 0],
    ["1e400", "1e400"],
    ["-1e400", "-1e400"],
    ["1e-400", "1e-400"],
    ["true", true],
    ["null", null],
    ['"9007199254740993"', "9007199254740993"],
    ['"a\\\\"', "a\\"],
    ['"\\"9007199254740993,"', '"9007199254740993,'],
  ])("reads %s as %j", (text, value) => {
    expect(parseLossless(text)).toEqual(value);
    const row = `{ "a": [${text},${text}], "b":${text}, "true" : false }`;
    expect(parseLossless(row)).toEqual({ a: [value, value], b: value, true: false });
  });

  it("keeps a member that is called like one of every object's own", () => {
    const row = parseLossless('{"__proto__":9007199254740993,"constructor":1}');
    expect(Object.entries(row ?? {})).toEqual([
      ["__proto__", "9007199254740993"],
      ["constructor", 1],
    ]);
  });

  it("holds in every part of a text that is parsed in turns", async () => {
    const rows = Array.from({ length: 50 }, (_, at) => ({ id: `90071992547409930${at}`, exact: at }));
    const text = JSON.stringify({ rows }).replaceAll(/"(9\d+)"/g, "$1");
    for (const turn of [1, 10, 100, 1_000]) expect(await parseInTurns(text, parseLossless, turn)).toEqual({ rows });
  });

  it("reads what is nested deeper than a stack reaches", () => {
    const depth = 200_000;
    let value = parseLossless(`${"[".repeat(depth)}9007199254740993${"]".repeat(depth)}`);
    while (Array.isArray(value)) value = value[0]!;
    expect(value).toBe("9007199254740993");
  });

  /** With work that grows with the square of the length, each takes longer than a test may. */
  it.each([
    ["a string that is cut among escaped quotes", `"${'\\"'.repeat(500_000)}`],
    ["strings that are cut, over and over", `[${'"a\\'.repeat(500_000)}`],
    ["half a page", `[${'{"name":"a\\\\b","no":12345678901234567890},'.repeat(50_000)}{"name":"`],
    ["digits without an end", `${"1".repeat(1_000_000)}x`],
    ["exponents without an end", `[1${"e".repeat(1_000_000)}`],
    ["openings without an end", "[".repeat(1_000_000)],
  ])("refuses %s at once", (_what, text) => {
    expect(() => parseLossless(text)).toThrow(SyntaxError);
  });
});
