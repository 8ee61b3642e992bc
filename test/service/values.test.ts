import { describe, expect, it } from "vitest";
import type { Json } from "#model";
import { sameValue } from "#service";
import { droppedArrays, droppedFields, mergedIds } from "../../src/service/writes/compare.ts";
import { serviceIdOf, instantOf, sameKeyPart } from "../../src/service/dialect/values.ts";

describe("what was sent and what was found", () => {
  it.each<[Json, Json | undefined]>([
    ["a", "a"],
    ["a ", "a"],
    ["Mu\u0308ller", "M\u00fcller"],
    ["one\r\ntwo", "one\ntwo"],
    [5, { id: 5, name: "Normal" }],
    [5, "5"],
    ["7.50", 7.5],
    [true, 1],
    [false, "false"],
    ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000Z"],
    ["2026-01-01T01:00:00+01:00", "2026-01-01T00:00:00.000Z"],
    ["2026-01-01T00:00:00", "2026-01-01T00:00:00.000Z"],
    ["2026-01-01", "2026-01-01T00:00:00.000Z"],
    ["2026-01-01T00:00:00.250Z", 1_767_225_600_250],
    ["2026-01-01", "1767225600000"],
    ["2026-01-01T00:00:00Z", 1_767_225_600],
    [
      [3, 1, 2],
      [{ id: 1 }, { id: 2 }, { id: 3 }],
    ],
    [[], null],
    [null, undefined],
    [null, ""],
    ["", null],
    [" ", null],
    ["\u00a0\r\n", ""],
    [{ a: 1 }, { a: 1, b: 2 }],
  ])("%j and %j are the same", (sent, found) => {
    expect(sameValue(sent, found)).toBe(true);
  });

  it.each<[Json, Json | undefined]>([
    ["a", "b"],
    ["a", "A"],
    ["a", undefined],
    ["a", null],
    [5, { id: 6 }],
    [5, "6"],
    [true, false],
    [0, ""],
    [null, "a"],
    [[1], [1, 2]],
    [[1, 2], [1]],
    ["2026-01-01T00:00:00Z", "2026-01-01T00:00:01.000Z"],
    ["2026-01-01T00:00:00Z", 1_767_225_601_000],
    ["1970-01-01T00:00:01Z", true],
    [{ a: 1 }, { a: 2 }],
    ["10023", "10023.0x"],
  ])("%j and %j are not", (sent, found) => {
    expect(sameValue(sent, found)).toBe(false);
  });

  it("names each field that was dropped with what was sent and found", () => {
    const sent = { name: "B", erpReferenceNumber: "E-1", info: "x", password: "secret" };
    const record = { id: 7, name: "B", erpReferenceNumber: "E-0" };
    expect(droppedFields("svcDocument", sent, { ...record, password: "secret" })).toEqual([
      { field: "erpReferenceNumber", sent: "E-1", found: "E-0" },
      { field: "info", sent: "x", found: undefined },
    ]);
    expect(droppedFields("user", { password: "secret" }, record)).toEqual([]);
  });

  it("compares custom fields by id, and only their presence where a tenant shows no values", () => {
    const sent = { "customFields.12": 5, "customFields.13": "x" };
    const spread = { id: 7, customFields: [{ id: 12, value: 5 }], "customFields.12": 5 };
    expect(droppedFields("customer", sent, spread)).toEqual([
      { field: "customFields.13", sent: "x", found: undefined },
    ]);
    expect(droppedFields("customer", sent, { id: 7, customFields: [12, 13] })).toEqual([]);
    const list = { customFields: [{ id: 12, value: 5 }] };
    expect(
      droppedFields("customer", list, {
        id: 7,
        customFields: [
          { id: 12, value: 5 },
          { id: 9, value: 1 },
        ],
      }),
    ).toEqual([]);
    expect(droppedFields("customer", list, { id: 7, customFields: [] })).toHaveLength(1);
  });

  it("finds an array change kept when our ids came and went, whatever else is there", () => {
    const arrays = { tags: { add: [1], remove: [2] } };
    expect(droppedArrays(arrays, { tags: [{ id: 1 }, { id: 9 }] })).toEqual([]);
    expect(droppedArrays(arrays, { tags: [1, 2] })).toHaveLength(1);
    expect(droppedArrays(arrays, {})).toHaveLength(1);
    expect(mergedIds([{ id: 2 }, 9], { add: [1], remove: [2] })).toEqual([9, 1]);
  });
});

describe("keys, ids and dates of the service", () => {
  it("reads an id from a number, digits or a linked record", () => {
    expect([
      serviceIdOf(5),
      serviceIdOf("5"),
      serviceIdOf({ id: 5 }),
      serviceIdOf("x"),
      serviceIdOf(1.5),
      serviceIdOf(null),
    ]).toEqual([5, 5, 5, undefined, undefined, undefined]);
  });

  it("compares key parts exactly but for space around them", () => {
    expect(sameKeyPart("10023", " 10023 ")).toBe(true);
    expect(sameKeyPart("10023", 10023)).toBe(true);
    expect(sameKeyPart(5, { id: 5, name: "x" })).toBe(true);
    expect(sameKeyPart("a@b.c", "A@B.C")).toBe(false);
    expect(sameKeyPart("0123", 123)).toBe(false);
    expect(sameKeyPart(" ", null)).toBe(true);
    expect(sameKeyPart("Mu\u0308ller", "M\u00fcller")).toBe(true);
  });

  it("takes a date without a zone for UTC", () => {
    expect(instantOf("2026-07-01T12:00:00.000")).toBe(Date.parse("2026-07-01T12:00:00Z"));
    expect(instantOf("2026-07-01")).toBe(Date.parse("2026-07-01T00:00:00Z"));
    expect([instantOf("soon"), instantOf("20260701"), instantOf(5)]).toEqual([undefined, undefined, undefined]);
  });
});
