import { expect, it } from "vitest";
import { Mask, maskedColumns, type ColumnUse } from "#mapping";
import type { Change, Row } from "#model";

const none = { mask: new Set<string>(), keep: new Set<string>() };

function upsert(key: string, row: Row): Change {
  return { kind: "upsert", key, row };
}

function feeds(column: string, field: string, isTested = false): ColumnUse {
  return { column, field, isTested };
}

it("decides by what a column feeds, and keeps keys, codes and what decides", () => {
  const row = {
    no: "7",
    sub: 2,
    name: "A",
    tel: 49,
    born: "1980-05-04",
    due: "2026-01-01",
    group: "x",
    both: "y",
    ref: "z",
    extra: "?",
  };
  const uses = [
    feeds("no", "name"),
    feeds("sub", "info"),
    feeds("name", "name"),
    feeds("tel", "telephone"),
    feeds("born", "customFields.Birthday"),
    feeds("due", "dueDate"),
    feeds("group", "type", true),
    feeds("both", "type", true),
    feeds("both", "info"),
    feeds("ref", "erpReferenceNumber"),
    { column: "name", isTested: true },
  ];
  const { masked, kept, left } = maskedColumns([upsert("7|2", row)], uses, none);
  expect([...masked]).toEqual([
    ["name", { isWhole: false }],
    ["tel", { isWhole: true }],
    ["born", { isWhole: true }],
    ["both", { isWhole: false }],
  ]);
  expect(kept).toEqual(["no", "sub", "due", "group", "ref"]);
  expect(left).toEqual(["extra"]);
});

it("changes each text, number and date that is masked to one of the same shape", () => {
  const mask = new Mask("secret");
  const row: Row = {
    text: "Große Straße 12a, D-40210",
    mail: "anna.unal@mail.unal.de",
    letter: "A",
    blank: "  ",
    none: null,
    flag: true,
    number: 4711,
    small: -0.25,
    date: "1980-05-04 08:00:00",
    nested: { names: ["Anna", { last: "Ünal", age: 44 }] },
    kept: "Anna",
  };
  const isWhole = { isWhole: true };
  const columns = Object.keys(row).filter((name) => name !== "kept");
  const plan = { masked: new Map(columns.map((name) => [name, isWhole])), kept: ["kept"], left: [] };
  const masked = mask.row(row, plan);
  expect(masked).toEqual({
    text: expect.stringMatching(/^[A-Z][a-z]{4} [A-Z][a-z]{5} \d\d[a-z], [A-Z]-\d{5}$/),
    mail: expect.stringMatching(/^[a-z]{4}\.[a-z]{4}@[a-z]{4}\.[a-z]{4}\.example$/),
    letter: expect.stringMatching(/^[B-Z]$/),
    blank: "  ",
    none: null,
    flag: true,
    number: expect.any(Number),
    small: expect.any(Number),
    date: expect.stringMatching(/^19[67]\d-\d\d-\d\d 08:00:00$/),
    nested: {
      names: [
        expect.stringMatching(/^[A-Z][a-z]{3}$/),
        { last: expect.stringMatching(/^[A-Z][a-z]{3}$/), age: expect.any(Number) },
      ],
    },
    kept: "Anna",
  });
  for (const name of ["text", "mail", "number", "small", "date", "nested"]) expect(masked[name]).not.toEqual(row[name]);
  expect(JSON.stringify(masked["number"])).toMatch(/^[1-9]\d{3}$/);
  expect(Date.parse(JSON.stringify(masked["date"]).slice(1, 11))).toBeGreaterThan(0 - 10 * 365 * 86_400_000);
  expect(mask.row(row, plan)).toEqual(masked);
  expect(new Mask("other").row(row, plan)).not.toEqual(masked);
});
