import { describe, expect, it } from "vitest";
import { beginningOf, oneLine, printable, shortened } from "#model";

describe("printable text", () => {
  it.each([
    ["\u001b[2J", "\\u001b[2J"],
    ["\u0007 \b \r", "\\u0007 \\u0008 \\u000d"],
    ["\u009b31m \u007f", "\\u009b31m \\u007f"],
    ["abc\u202etxt.exe\u2066", "abc\\u202etxt.exe\\u2066"],
    ["a\ud800b", "a\\ud800b"],
    ["tag \u{e0041}", "tag \\udb40\\udc41"],
    ["line\u2028line", "line\\u2028line"],
    ["Aktiv\u200b", "Aktiv\\u200b"],
    ["10\u00ad023\u2060", "10\\u00ad023\\u2060"],
  ])("spells out what a terminal obeys and what no person sees: %j", (text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  it("leaves ordinary text as it is, in every script", () => {
    const text = "Müller & Søn\t株式会社 عربى 👩‍🔧\r\nnext\n";
    expect(printable(text)).toBe(text);
  });

  it.each([
    ["a\nb", "a\\u000ab"],
    ["a\r\nb\rc", "a\\u000d\\u000ab\\u000dc"],
    ["a\u2028b\u2029c\u0085d", "a\\u2028b\\u2029c\\u0085d"],
  ])("is one line where one is wanted: %j", (text, shown) => {
    expect(oneLine(text)).toBe(shown);
  });

  it("keeps the meaning of JSON", () => {
    const value = { "k\u202e": "\u009b\ud800\u{e0041}" };
    expect(JSON.parse(printable(JSON.stringify(value)))).toEqual(value);
  });
});

describe("the beginning of a text", () => {
  it.each([
    ["abc", 3, "abc", "abc"],
    ["abcd", 3, "abc", "abc…"],
    ["ab👩", 3, "ab", "ab…"],
    ["ab👩", 4, "ab👩", "ab👩"],
    ["ab\ud800", 3, "ab\ud800", "ab\ud800"],
    ["abc", 0, "", "…"],
  ])("%j has at most %i characters, and cuts none in two", (text, most, beginning, short) => {
    expect([beginningOf(text, most), shortened(text, most)]).toEqual([beginning, short]);
  });
});
