import { describe, expect, it } from "vitest";
import { naturalKey, ruleName } from "../../src/pipeline/match/natural-key.ts";

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

  it("keeps rules apart that compare differently", () => {
    expect(ruleName(normalized)).not.toBe(ruleName({ ...normalized, compare: "exact" }));
  });
});
