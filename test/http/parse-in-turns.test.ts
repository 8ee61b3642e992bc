import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseInTurns } from "#http";
import type { Json } from "#model";
import { thrownBy } from "../kit/outcome.ts";

const parsed = (text: string): Json => JSON.parse(text);

/** The value's text, with its members in their order; `refused` if the text is not JSON. */
const whole = (text: string) => {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return "refused";
  }
};
const inTurns = (text: string, turn: number) =>
  parseInTurns(text, parsed, turn).then(
    (value) => JSON.stringify(value),
    (thrown: unknown) => (thrown instanceof SyntaxError ? "refused" : String(thrown)),
  );

async function isRead(text: string, turn: number) {
  expect([text, await inTurns(text, turn)]).toEqual([text, whole(text)]);
}

const turns = fc.integer({ min: 1, max: 24 });
const texts = fc
  .tuple(fc.jsonValue({ maxDepth: 6 }), fc.jsonValue(), fc.constantFrom("", " ", "\n"))
  .map(([first, second, space]) => JSON.stringify({ rows: [first, [second], { first }], second }, null, space));

describe("JSON that is parsed in turns", () => {
  it("is the same value, with the members in the same order", async () => {
    await fc.assert(fc.asyncProperty(texts, turns, isRead), { numRuns: 300 });
  });

  it("is refused or read as in one piece, whatever is put in or missing", async () => {
    const put = fc.constantFrom("[", "]", "{", "}", ",", ":", '"', "\\", " 1", "\u00a0", "");
    const changed = fc.tuple(texts, fc.nat(), fc.nat(3), put).map(([text, at, length, added]) => {
      const place = at % (text.length + 1);
      return text.slice(0, place) + added + text.slice(place + length);
    });
    await fc.assert(fc.asyncProperty(changed, turns, isRead), { numRuns: 2_000 });
  });

  it.each([
    '{"__proto__":{"a":1,"b":2,"c":3},"constructor":{"a":1,"b":2}}',
    '{"a":{"x":1,"y":2,"z":3},"b":1,"a":{"w":1,"y":4,"v":6}}',
    '{"a, [\\"":[1,2,3,4],"\\\\":{"]":"[","}":"{"}}',
    '[[[[1,2],[3,4]],[[5,6],[7,8]]],[],{},[{}],{"a":[]}]',
    "[1,2,3,4,5,6,7,8],9",
    '{"a":1,"b":[1,2,3,4,5] "c":1}',
    '{"a":1,"b":[1,2,3,4,5],}',
    "[[1,2,3,4,5],]",
    "[[1,2,3,4,5][6,7,8,9]]",
    "[1,2,3,4,,5,6,7,8]",
    "[1,2,3,4,5,6}",
    '{"a":1,"b":2,[1,2,3,4]:3}',
    '{"a":1,[1,2,3,4,5,6]}',
    '["a":[1,2,3,4,5,6]]',
    "1,2,3,4,5,6",
    "[1,2,3,4,5,6",
    "]1,2,3,4,5,6[",
  ])("is read or refused as in one piece: %s", async (text) => {
    for (let turn = 1; turn < text.length / 2; turn++)
      expect([turn, await inTurns(text, turn)]).toEqual([turn, whole(text)]);
  });

  it("may be nested as deeply as it likes", async () => {
    const text = `[1,2,${'{"a":[1,'.repeat(500)}2${"]}".repeat(500)},3,4]`;
    expect(await inTurns(text, 5)).toBe(whole(text));
    expect(await thrownBy(parseInTurns("[1,".repeat(1_000_000), parsed))).toBeInstanceOf(SyntaxError);
  });

  it("gives everything else a turn between its parts, and no part is long", async () => {
    const rows = Array.from({ length: 60_000 }, (_, id) => ({ id, name: `Müller "${id}"`, tags: [id, { a: "x" }] }));
    const text = JSON.stringify({ total: rows.length, data: { rows }, end: true });
    const parts: number[] = [];
    let others = 0;
    const other = () => void (others++, (pending = setImmediate(other)));
    let pending = setImmediate(other);
    const value = await parseInTurns(text, (part) => {
      parts.push(part.length);
      return parsed(part);
    });
    clearImmediate(pending);
    expect(value).toEqual({ total: rows.length, data: { rows }, end: true });
    expect(Math.max(...parts)).toBeLessThan(300_000);
    expect(others).toBeGreaterThanOrEqual(Math.floor(text.length / 300_000));
  });
});
