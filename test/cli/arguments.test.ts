import { describe, expect, it } from "vitest";
import { parseRecord } from "#model";

describe("a record as an argument", () => {
  it.each([
    ["customers/10023", { stream: "customers", key: "10023" }],
    ["contacts/10023/1", { stream: "contacts", key: "10023/1" }],
    ["customers/", { stream: "customers", key: "" }],
  ])("takes %s apart", (label, id) => {
    expect(parseRecord(label)).toEqual(id);
  });

  it.each(["10023", "/10023", ""])("does not take %j for one", (label) => {
    expect(parseRecord(label)).toBeUndefined();
  });
});
