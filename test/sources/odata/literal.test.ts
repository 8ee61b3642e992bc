import { describe, expect, it } from "vitest";
import { literal } from "../../../src/sources/odata/literal.ts";
import type { Manners } from "../../../src/sources/odata/presets.ts";

const v2: Manners = { version: "v2", quotedTimes: false, ieee754: false };
const v4: Manners = { version: "v4", quotedTimes: false, ieee754: true };
const quoted: Manners = { ...v4, quotedTimes: true };

describe("a key in the address of an OData service", () => {
  it.each([
    ["String", "O'Brien & Söhne", "'O''Brien & Söhne'", "'O''Brien & Söhne'"],
    ["Int32", "-7", "-7", "-7"],
    ["Int64", "9007199254740993", "9007199254740993L", "9007199254740993"],
    ["Decimal", "10.50", "10.50M", "10.50"],
    ["Double", "1e-7", "1e-7d", "1e-7"],
    ["Boolean", "true", "true", "true"],
    [
      "Guid",
      "0f8fad5b-d9cb-469f-a165-70867728950e",
      "guid'0f8fad5b-d9cb-469f-a165-70867728950e'",
      "0f8fad5b-d9cb-469f-a165-70867728950e",
    ],
    ["DateTime", "/Date(1767225600000)/", "datetime'2026-01-01T00:00:00.000'", "2026-01-01T00:00:00.000"],
    [
      "DateTimeOffset",
      "2026-01-01T10:00:00+02:00",
      "datetimeoffset'2026-01-01T10:00:00+02:00'",
      "2026-01-01T10:00:00+02:00",
    ],
    ["Time", "PT13H45M00S", "time'PT13H45M00S'", "duration'PT13H45M00S'"],
  ])("of type %s is %s as its type wants it", (type, value, inV2, inV4) => {
    expect([literal(value, `Edm.${type}`, v2), literal(value, `Edm.${type}`, v4)]).toEqual([inV2, inV4]);
  });

  it.each([
    ["Date", "2026-01-01"],
    ["TimeOfDay", "07:30:00"],
  ])("of type %s is in quotes where the service wants times so", (type, value) => {
    expect([literal(value, `Edm.${type}`, v4), literal(value, `Edm.${type}`, quoted)]).toEqual([value, `'${value}'`]);
  });

  it.each([
    ["Int32", "1 or 1 eq 1"],
    ["Guid", "x') or ('1' eq '1"],
    ["DateTime", "2026-01-01T00:00:00' or true or '"],
    ["Boolean", "True or true"],
  ])("of type %s is refused where it would be read as a condition", (type, value) => {
    for (const manners of [v2, v4])
      expect(() => literal(value, `Edm.${type}`, manners)).toThrow(expect.objectContaining({ code: "E_SOURCE_KEY" }));
  });
});
