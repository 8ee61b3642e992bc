import { describe, expect, it } from "vitest";
import { ParkError, type Json } from "#model";
import type { Stream } from "#mapping";
import { recordTitle } from "#pipeline";

const streamThat = (map: Stream["map"]) => ({ match: [], map });
const mapping = (fields: Readonly<Record<string, Json>>): Stream["map"] => {
  const mapped = Object.entries(fields).map(([name, value]) => ({
    name,
    value: { kind: "value" as const, value },
    own: "always" as const,
  }));
  return () => Promise.resolve({ kind: "record", fields: mapped });
};
const failing: Stream["map"] = () => Promise.reject(new ParkError("E_MAPPING", "the row has no name"));
const record = (row: Readonly<Record<string, Json>>, applied?: Readonly<Record<string, Json>>) => ({
  row,
  deleted: false,
  unreadable: undefined,
  applied,
});

describe("the title of a record", () => {
  it("is what was last written, even if the ERP says something else by now", async () => {
    const title = recordTitle(streamThat(mapping({ name: "New AG" })), record({ name1: "New AG" }, { name: "Old AG" }));
    expect(await title).toBe("Old AG");
  });

  it("is what the mapping makes of a record that was never written", async () => {
    expect(await recordTitle(streamThat(mapping({ subject: "Pump leaks\nagain" })), record({}))).toBe("Pump leaks");
  });

  it.each<[Record<string, Json>, string]>([
    [{ kunden_name_id: "7", name1: "Muster AG" }, "Muster AG"],
    [{ artikelnummer: "4711", Bezeichnung: "Pumpe" }, "Pumpe"],
    [{ betreff: " ", Titel: "Wartung" }, "Wartung"],
    [{ no: "1", active: true }, ""],
  ])("is a column that looks like one where the row cannot be mapped: %j", async (row, title) => {
    expect(await recordTitle(streamThat(failing), record(row))).toBe(title);
  });
});
