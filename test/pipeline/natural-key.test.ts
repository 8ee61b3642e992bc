import { describe, expect, it } from "vitest";
import { loosened, naturalKey, ruleName } from "../../src/pipeline/match/natural-key.ts";

const exact = { fields: ["customer", "email"], compare: "exact" } as const;
const normalized = { fields: ["name"], compare: "normalized" } as const;

describe("naturalKey", () => {
  it("is the same for a number and its text, and for a link and its id", () => {
    const key = naturalKey(exact, { customer: 12, email: "a@b.de" });
    expect(naturalKey(exact, { customer: "12", email: "a@b.de" })).toBe(key);
    expect(naturalKey(exact, { customer: { id: 12, name: "Huber" }, email: "a@b.de" })).toBe(key);
  });

  it("compares exactly unless told otherwise", () => {
    expect(naturalKey(exact, { customer: 1, email: "A@b.de" })).not.toBe(
      naturalKey(exact, { customer: 1, email: "a@b.de" }),
    );
  });

  it("is the same however the accents of a text are coded", () => {
    const key = naturalKey({ fields: ["name"], compare: "exact" }, { name: "M\u00fcller" });
    expect(naturalKey({ fields: ["name"], compare: "exact" }, { name: "Mu\u0308ller" })).toBe(key);
  });

  it("does not count white space around a text: fixed columns are padded, and services trim", () => {
    expect(naturalKey(exact, { customer: 1, email: "a@b.de   " })).toBe(
      naturalKey(exact, { customer: 1, email: "a@b.de" }),
    );
    expect(naturalKey(exact, { customer: 1, email: "   " })).toBeUndefined();
  });

  it("matches nothing by a part that is empty", () => {
    expect(naturalKey(exact, { customer: 1, email: null })).toBeUndefined();
    expect(naturalKey(exact, { customer: 1 })).toBeUndefined();
    expect(naturalKey(exact, { customer: 1, email: "" })).toBeUndefined();
    expect(naturalKey(normalized, { name: " - " })).toBeUndefined();
  });

  it("does not run parts together", () => {
    const rule = { fields: ["a", "b"], compare: "exact" } as const;
    expect(naturalKey(rule, { a: "x,y", b: "z" })).not.toBe(naturalKey(rule, { a: "x", b: "y,z" }));
  });

  it("normalized sees through case, accents, white space and punctuation", () => {
    const key = naturalKey(normalized, { name: "Müller & Söhne GmbH" });
    expect(naturalKey(normalized, { name: "MULLER  &SOHNE, GmbH. ☎️" })).toBe(key);
    expect(naturalKey(normalized, { name: "Straße" })).toBe(naturalKey(normalized, { name: "STRASSE" }));
  });

  it.each([
    { script: "Devanagari", one: "राम", other: "रोम" },
    { script: "Thai", one: "กิน", other: "กัน" },
    { script: "kana", one: "がく", other: "かく" },
  ])("normalized keeps names apart that differ in a mark which is no accent: $script", ({ one, other }) => {
    expect(naturalKey(normalized, { name: one })).not.toBe(naturalKey(normalized, { name: other }));
  });

  it.each([
    ["a dot in an e-mail address", "john.doe@x.test", "johndoe@x.test"],
    ["a plus in an e-mail address", "kim+a@x.test", "kima@x.test"],
    ["a hyphen in a domain", "kim@my-shop.test", "kim@myshop.test"],
    ["an accent in an e-mail address", "müller@x.test", "muller@x.test"],
    ["a dot in an address that has a name", "Kim <k.im@x.test>", "Kim <kim@x.test>"],
    ["a dot in the second of two addresses", "a@x.test; b.c@x.test", "a@x.test; bc@x.test"],
    ["a hyphen between digits", "10-1", "101"],
    ["a slash between digits", "Stiege 1/01", "Stiege 101"],
    ["a space between digits", "Top 1 2", "Top 12"],
  ])("normalized keeps values apart that differ in %s", (_difference, one, other) => {
    expect(naturalKey(normalized, { name: one })).not.toBe(naturalKey(normalized, { name: other }));
  });

  it.each([
    ["John.Doe@X.test", "john.doe@x.test"],
    ["Kim <kim@x.test>", "kim, KIM@x.test"],
    ["Stiege 10 / 1", "Stiege 10-1"],
    ["10. Bezirk", "10 bezirk"],
    ["C&A 24 h.", "c+a 24h"],
  ])("normalized still finds %s by %s", (one, other) => {
    expect(naturalKey(normalized, { name: one })).toBe(naturalKey(normalized, { name: other }));
  });

  it("caseInsensitive ignores upper and lower case and nothing else", () => {
    const rule = { fields: ["email"], compare: "caseInsensitive" } as const;
    const key = naturalKey(rule, { email: "John.Doe@x.test" });
    expect(naturalKey(rule, { email: " john.doe@X.TEST" })).toBe(key);
    expect(naturalKey(rule, { email: "johndoe@x.test" })).not.toBe(key);
    expect(naturalKey(rule, { email: "Jöhn.Doe@x.test" })).not.toBe(key);
  });

  it("a loosened rule sees through everything that a service could change", () => {
    for (const compare of ["exact", "caseInsensitive", "normalized"] as const) {
      const rule = loosened({ fields: ["name"], compare });
      expect(naturalKey(rule, { name: "+43 664/12-3 A.B@x.test" })).toBe(
        naturalKey(rule, { name: "43664123ab@xtest" }),
      );
    }
  });

  it("keeps rules apart that compare differently", () => {
    const rules = (["exact", "caseInsensitive", "normalized"] as const).map((compare) => ({ ...normalized, compare }));
    expect(new Set([...rules, loosened(normalized)].map(ruleName)).size).toBe(4);
  });
});
