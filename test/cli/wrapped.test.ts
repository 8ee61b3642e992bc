import { describe, expect, it } from "vitest";
import { fittingTables, table } from "../../src/cli/output/table.ts";
import { wrapped } from "../../src/cli/output/wrapped.ts";

const text = "customers: the file a.csv was refused, and none of its rows was used: a.csv:3: not UTF-8";

describe("a text", () => {
  it("is broken at its blanks where the terminal ends, and indented below", () => {
    expect(wrapped(text, 50).split("\n")).toEqual([
      "customers: the file a.csv was refused, and none of",
      "  its rows was used: a.csv:3: not UTF-8",
    ]);
    const [first, second] = wrapped(`  -> ${text}`, 50).split("\n");
    expect(first).toMatch(/^ {2}-> customers/);
    expect(second).toMatch(/^ {5}\S/);
  });

  it("keeps short lines, long words and what goes into a pipe as they are", () => {
    expect(wrapped(text, undefined)).toBe(text);
    expect(wrapped("a\nb\n", 50)).toBe("a\nb\n");
    const word = "x".repeat(120);
    expect(wrapped(word, 50)).toBe(word);
    expect(wrapped(`see ${word} there`, 50).split("\n")).toEqual(["see", `  ${word}`, "  there"]);
  });

  it.each([40, 60, 80, 120])("fits %i columns", (width) => {
    const long = `  ${text} ${text} ${text}`;
    expect(
      Math.max(
        ...wrapped(long, width)
          .split("\n")
          .map((line) => line.length),
      ),
    ).toBeLessThanOrEqual(width);
    expect(wrapped(long, width).split(/\s+/)).toEqual(long.split(/\s+/));
  });
});

describe("a table that is too wide", () => {
  const head = [
    "stream",
    "state",
    "polled",
    "behind",
    "takes at most",
    "in sync",
    "due",
    "waiting",
    "parked",
    "uncertain",
  ];
  const rows = [["customers", "following", "12 s ago", "4 min", "12 s (95 %)", 12_000, 1, 2, 3, 4]];

  it("becomes two that each begin with the first column", () => {
    const lines = fittingTables(head, rows).trimEnd().split("\n");
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(lines.filter((line) => line.startsWith("customers"))).toHaveLength(2);
    for (const name of head) expect(lines.join("\n")).toContain(name);
  });

  it("stays one where it fits", () => {
    expect(fittingTables(head, rows, 120)).toBe(table(head, rows));
  });
});
