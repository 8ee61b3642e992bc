import { describe, expect, it } from "vitest";
import { knownRemedyOf } from "#operator";
import type { Finding } from "#model";
import { never } from "../../kit/outcome.ts";
import { openSql } from "./opened.ts";

async function findings(schema: string, read: object, settings = {}): Promise<Finding[]> {
  await using erp = await openSql("sqlite", undefined, settings);
  await erp.place.writer.run(schema);
  return await erp.stream({ table: "items", key: "nr", ...read }).check(never);
}

function worst(found: readonly Finding[]): string[] {
  return found
    .filter(({ verdict }) => verdict !== "ok")
    .map(({ verdict, message, code, remedy }) => `${verdict}: ${message} → ${remedy ?? (code && knownRemedyOf(code))}`);
}

describe("check", () => {
  it("is content with a healthy table", async () => {
    const found = await findings(
      "create table items (nr text primary key, at text); create index a on items (at); insert into items values ('a', '2025-01-01 10:00:00')",
      { changed: "at" },
    );
    expect(worst(found)).toEqual([]);
    expect(found.map(({ message }) => message)).toContain("1 row and 2 columns can be read");
  });

  it.each([
    ["a text where a stamp is expected", "insert into items values ('a', 'x', 'yesterday')", {}, "E_SOURCE_STAMP"],
    [
      "a stamp in another format than said",
      "insert into items values ('a', 'x', '2025-01-01 10:00:00')",
      { stampFormat: "iso" },
      "of the format iso",
    ],
    ["rows without a stamp", "insert into items values ('a', 'x', null)", {}, "1 row without a stamp"],
    [
      "stamps in the future",
      "insert into items values ('a', 'x', '2999-01-01 10:00:00')",
      {},
      "later than the server's clock",
    ],
    [
      "a missing index",
      "insert into items values ('a', 'x', '2025-01-01 10:00:00')",
      {},
      "no index of items begins with at",
    ],
    [
      "a key that is not unique",
      "insert into items values ('a', 'x', null), ('a', 'y', null)",
      {},
      "several rows have the key a",
    ],
    ["a key that is NULL", "insert into items values (null, 'x', null)", {}, "E_SOURCE_KEY_NULL"],
    ["an unknown column", "", { changed: "att" }, "did you mean at?"],
    [
      "a column under where that the table does not have",
      "",
      { where: "nmae = 'x'" },
      "the condition under `where` (nmae = 'x') is refused",
    ],
    [
      "a condition that is no SQL",
      "",
      { where: "name = = 'x'" },
      "the condition under `where` (name = = 'x') is refused",
    ],
    ["an unknown table", "", { table: "item" }, "did you mean items?"],
  ] as const)("finds %s and says what to do", async (_, insert, read, expected) => {
    const found = worst(
      await findings(`create table items (nr text, name text, at text); ${insert}`, { changed: "at", ...read }),
    );
    expect(found.join("\n")).toContain(expected);
    expect(found.join("\n")).not.toContain("undefined");
  });

  it("finds stamps without a zone when the source has none either", async () => {
    const schema = "create table items (nr text, at text); insert into items values ('a', '2025-01-01 10:00:00')";
    const without = await findings(schema, { changed: "at" }, { timezone: undefined });
    expect(worst(without).join()).toContain("they are read as UTC → Set the source's `timezone`");
    expect(worst(await findings(schema, { changed: "at" })).join()).not.toContain("timezone");
  });

  it("finds a view that lacks the key", async () => {
    const schema = "create table t (nr text, name text); create view items as select name from t";
    expect(worst(await findings(schema, {})).join()).toContain("items has no column nr");
  });

  it("finds a counter that this database does not have", async () => {
    const schema = "create table items (nr text, rv integer)";
    const found = await findings(schema, { changed: { counter: "rv", kind: "rowversion" } });
    expect(worst(found).join()).toContain("E_SOURCE_COUNTER");
  });

  it("finds a counter of text, in which 10 comes before 9", async () => {
    const schema = "create table items (nr text, seq text); insert into items values ('a', '9')";
    const found = await findings(schema, { changed: { counter: "seq", kind: "sequence" } });
    expect(worst(found).join()).toContain('the counter seq of items is text ("9"), in which 10 comes before 9');
  });

  it("tells that nobody answers", async () => {
    await using erp = await openSql("sqlite", undefined, { url: "sqlite:/nowhere/erp.db" });
    const [found] = await erp.source.check(never);
    expect(found).toMatchObject({ verdict: "problem", message: expect.stringContaining("E_SOURCE_UNREACHABLE") });
  });
});
