import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ReturnContent, ReturnLine } from "#model";
import {
  cancelledContent,
  comparedLines,
  statementHash,
  type NewLine,
} from "../../../src/returns/prepare/statement.ts";

const KINDS = ["time", "material"];
const newLine = (id: number, amount: string | null = "1.00", kind = "time", text = "a"): NewLine => ({
  kind,
  id,
  amount,
  fields: { text },
});
const content = (lines: readonly NewLine[], before?: ReturnContent): ReturnContent => ({
  fields: { order_no: "A-1" },
  lines: comparedLines(lines, before, KINDS),
});
const shown = ({ lines }: ReturnContent) =>
  lines.map(({ kind, id, change, amount, amountBefore }) => `${kind} ${id} ${change} ${amountBefore}>${amount}`);

describe("the lines of a report", () => {
  it("are all added at first, in the order of the sync file and of their ids", () => {
    expect(shown(content([newLine(9), newLine(3, null, "material"), newLine(2)]))).toEqual([
      "time 2 added null>1.00",
      "time 9 added null>1.00",
      "material 3 added null>null",
    ]);
  });

  it("name how they differ from the former version", () => {
    const before = content([newLine(1), newLine(2), newLine(3), newLine(4, "4", "material"), newLine(5, null, "gone")]);
    const after = content(
      [newLine(1), newLine(2, "2.00"), newLine(3, "1.00", "time", "b"), newLine(4, "4"), newLine(6)],
      before,
    );
    expect(shown(after)).toEqual([
      "time 1 same 1.00>1.00",
      "time 2 changed 1.00>2.00",
      "time 3 changed 1.00>1.00",
      "time 4 added null>4",
      "time 6 added null>1.00",
      "material 4 removed 4>0",
      "gone 5 removed null>null",
    ]);
  });

  it("that were removed before are not named again, and come back as added", () => {
    const second = content([newLine(1)], content([newLine(1), newLine(2)]));
    expect(shown(content([newLine(1)], second))).toEqual(["time 1 same 1.00>1.00"]);
    expect(shown(content([newLine(1), newLine(2)], second))).toEqual([
      "time 1 same 1.00>1.00",
      "time 2 added null>1.00",
    ]);
  });

  it("are all removed by a cancellation, with their former fields", () => {
    const before = content([newLine(1), newLine(2, "2.50", "material", "pump")], content([newLine(7)]));
    expect(cancelledContent(before)).toEqual({
      fields: { order_no: "A-1" },
      lines: [
        { ...newLine(1, "0"), change: "removed", amountBefore: "1.00" },
        { ...newLine(2, "0", "material", "pump"), change: "removed", amountBefore: "2.50" },
      ],
    });
  });
});

const someLines: fc.Arbitrary<NewLine[]> = fc.uniqueArray(
  fc.record({
    kind: fc.constantFrom(...KINDS, "travel"),
    id: fc.integer({ min: 1, max: 30 }),
    amount: fc.option(fc.integer({ min: 0, max: 999 }).map(String)),
    fields: fc.record({ text: fc.string({ maxLength: 3 }), no: fc.option(fc.integer()) }),
  }),
  { selector: ({ kind, id }) => `${kind}/${id}`, maxLength: 12 },
);
const names = (some: readonly NewLine[]) => new Set(some.map(({ kind, id }) => `${kind}/${id}`));
const plain = ({ kind, id, amount, fields }: ReturnLine | NewLine) => ({ kind, id, amount, fields });

describe("the hash of a statement", () => {
  it("is the same for a fact and its correction, and another for a cancellation", () => {
    const one = content([newLine(1)]);
    expect(statementHash("correction", one)).toBe(statementHash("fact", one));
    expect(statementHash("cancelled", one)).not.toBe(statementHash("fact", one));
    expect(statementHash("fact", one)).toMatch(/^[0-9a-f]{64}$/);
  });

  it("stays what it was: a release that changes it would correct every report", () => {
    expect(statementHash("fact", content([newLine(2), newLine(1, "2.50", "material")]))).toMatchInlineSnapshot(
      `"61412bb799a6a43e3e58bae5cb2aeab15cfbf5486db9e692d94e2ce1cdd4d02f"`,
    );
  });

  it("is of the fields and the present lines, whatever their order and the version before", () => {
    fc.assert(
      fc.property(someLines, someLines, someLines, (lines, before, other) => {
        const hash = statementHash("fact", content(lines));
        expect(statementHash("correction", content(lines, content(before)))).toBe(hash);
        expect(statementHash("fact", content(lines.toReversed(), content(before, content(other))))).toBe(hash);
        const [own, others] = [lines, other].map((some) =>
          content(some)
            .lines.map(plain)
            .map((line) => JSON.stringify(line))
            .join(),
        );
        expect(statementHash("fact", content(other)) === hash).toBe(own === others);
      }),
      { seed: 34, numRuns: 500 },
    );
  });

  it("tells a changed field, amount, kind and id", () => {
    const hashes = [
      content([newLine(1)]),
      content([newLine(2)]),
      content([newLine(1, "2.00")]),
      content([newLine(1, null)]),
      content([newLine(1, "1.00", "material")]),
      content([newLine(1, "1.00", "time", "b")]),
      { ...content([newLine(1)]), fields: { order_no: "A-2" } },
      content([]),
    ].map((one) => statementHash("fact", one));
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it("counts changes from version to version exactly", () => {
    fc.assert(
      fc.property(someLines, someLines, (before, after) => {
        const { lines } = content(after, content(before));
        expect(lines.filter(({ change }) => change !== "removed").map(plain)).toEqual(content(after).lines.map(plain));
        expect(names(lines)).toEqual(names([...before, ...after]));
      }),
      { seed: 36, numRuns: 500 },
    );
  });
});
