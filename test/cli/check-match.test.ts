import { describe, expect, it } from "vitest";
import type { Json } from "#model";
import { looseRules } from "../../src/cli/check/check-match.ts";
import { streamWith } from "../mapping/sample.ts";

const fields = { customer: { ref: "customers", key: "customer" }, name: "name", email: "email" };

/** What `check` says of this rule when the ERP has these rows. */
async function findings(match: Json, rows: readonly Record<string, Json>[]) {
  const stream = streamWith({ match, fields });
  const mapped = await Promise.all(rows.map((row) => stream.map(row, false)));
  return looseRules(
    stream,
    mapped.map((each) => ("fields" in each ? each.fields : [])),
  );
}

const anna = { customer: "1", name: "Anna-Lena", email: "a@x.test" };

describe("looseRules", () => {
  it("warns of normalized where two different values of the sample become equal, and shows both", async () => {
    const rule = { fields: ["customer", "name"], compare: "normalized", shared: true };
    const [finding, ...more] = await findings([["email"], rule], [anna, { ...anna, name: "Annalena" }]);
    expect(more).toEqual([]);
    expect(finding).toMatchObject({ subject: "stream it, match", verdict: "warning" });
    expect(finding?.message).toContain('compare: normalized takes "1", "Anna-Lena" and "1", "Annalena" for the same');
    expect(finding?.remedy).toContain("caseInsensitive");
  });

  it("warns of caseInsensitive, too", async () => {
    const rule = { fields: ["email"], compare: "caseInsensitive" };
    const [finding] = await findings([rule], [anna, { ...anna, email: "A@x.test" }]);
    expect(finding?.message).toContain("compare: caseInsensitive");
    expect(finding?.remedy).not.toContain("caseInsensitive");
  });

  it.each<[string, Json, Record<string, Json>]>([
    ["equal values", { fields: ["customer", "name"], compare: "normalized" }, anna],
    [
      "a different parent",
      { fields: ["customer", "name"], compare: "normalized" },
      { ...anna, customer: "2", name: "Annalena" },
    ],
    [
      "a missing value",
      { fields: ["name", "email"], compare: "normalized" },
      { ...anna, name: "Annalena", email: null },
    ],
    ["an e-mail address", { fields: ["email"], compare: "normalized" }, { ...anna, email: "a.@x.test" }],
    ["an exact rule", { fields: ["name"], compare: "exact" }, { ...anna, name: "Annalena" }],
  ])("says nothing of %s", async (_case, match, row) => {
    expect(await findings([match], [anna, row])).toEqual([]);
  });
});
