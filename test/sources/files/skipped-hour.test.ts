import { describe, expect, it } from "vitest";
import { utc } from "../../../src/mapping/expression/functions.ts";
import { convert } from "../../../src/sources/files/read/row.ts";
import { jsonText } from "../../../src/sources/wire/stamps/values.ts";
import { filesRead } from "../../../src/sources/files/schema.ts";

const read = filesRead.parse({
  files: "*.csv",
  format: "csv",
  kind: "full",
  key: "id",
  dates: { at: "YYYY-MM-DD HH:mm" },
});

describe("the hour in which clocks are put forward or back", () => {
  it.each([
    ["Europe/Berlin", "2026-03-29 01:59"],
    ["Europe/Berlin", "2026-03-29 02:30"],
    ["Europe/Berlin", "2026-03-29 03:00"],
    ["Europe/Berlin", "2026-10-25 02:30"],
    ["America/New_York", "2026-03-08 02:15"],
    ["Australia/Lord_Howe", "2026-10-04 02:10"],
    ["America/Santiago", "2026-09-06 00:30"],
  ])("reads alike by `dates:` and by `$utc` (%s, %s)", (zone, at) => {
    const converted = convert({ id: "1", at }, read, zone);
    const instant = "row" in converted ? new Date(jsonText(converted.row["at"])).toISOString() : undefined;
    expect(instant).toBe(utc(at, zone));
  });

  it("goes on from before the hour that is skipped", () => {
    expect(convert({ id: "1", at: "2026-03-29 02:30" }, read, "Europe/Berlin")).toMatchObject({
      row: { at: "2026-03-29T01:30:00Z" },
    });
  });
});
