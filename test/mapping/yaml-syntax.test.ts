import { describe, expect, it } from "vitest";
import { didYouMean } from "../../src/mapping/did-you-mean.ts";
import { YamlText } from "../../src/mapping/check/yaml-text.ts";
import { load } from "./sample.ts";

function problemsOf(text: string): string[] {
  return new YamlText(text).problems.map(({ line, column, message }) => `${line}:${column} ${message}`);
}

describe("syntax errors of a YAML text", () => {
  it.each([
    [
      "{ url: ${ERP_URL} }",
      '1:9 found a variable without quotes between brackets, expected quotes: quote it: url: "${ERP_URL}"',
    ],
    ["a:\n  b: { c: 1, url: ${X}, d: 2 }", 'quote it: url: "${X}"'],
    ["a: 1\nb: 2\na: 3\n", '3:1 found "a" a second time (first in line 1), expected each name once'],
    ["a:\n\tb: 1\n", "2:1 found a tab at the beginning of the line, expected spaces"],
    ["when: status: open\n", 'expected quotes around it: when: "status: open"'],
    ["a: 'abc\nb: 2\n", "1:4 found ' that opens a text and no ' that ends it"],
    ['a: "abc\nb: "2"\n', "found"],
    ["a: 'it's'\n", "write '' for an apostrophe"],
    ["a: @x y\n", 'begins with @, expected quotes around it: a: "…"'],
    ["a: %x\n", 'begins with %, expected quotes around it: a: "%x"'],
    ["when: !deleted\n", 'begins with !, expected quotes around it: when: "!deleted"'],
    ["files: *.csv\n", 'quotes around a text that begins with *: "*.csv"'],
    ["a:\n  b: 1\n   c: 2\n", "3:4 found a line that is indented deeper than the one above"],
    ["a:\n    b: 1\n  c: 2\n", "3:1 found a line that begins in another column"],
    ["a: 1\nb\nc: 2\n", '2:1 found "b" without a colon'],
    ["a:\n  b:1\n  c: 2\n", '2:3 found "b:1" where a name is expected'],
    ['a: "C:\\data"\n', "1:7 found the escape \\d in double quotes, expected \\\\"],
    ["a: [1, 2\nb: 3\n", "2:1 found [ without ] before this line"],
    ["a: ]\n", "1:4 found ] without [ before it"],
    ["a: { b: 1 c: 2 }\n", "expected a comma before the next name"],
    ["a: 1\n---\nb: 2\n", "2:1 found a second document"],
    ["a: - b\n", "found a list that begins on the line of its name"],
    ["a: >= 3\n", 'begins with | or >: a: ">= 3"'],
  ])("say what was found, what was expected and how to correct it: %j", (text, expected) => {
    const [problem = "nothing", ...more] = problemsOf(text);
    expect([problem, more]).toEqual([expect.stringContaining(expected), more]);
    expect(problem).toMatch(/^\d+:\d+ found .*expected/);
    expect(problem).not.toMatch(/token|implicit|mapping|Flow|flow-map|scalar|Plain|node end/);
  });

  it("show no value that may be secret", () => {
    const texts = [
      "a: { password: hun{ter2 }\n",
      "a: { url: postgres://sync:hunter2@h/x?a: b }\n",
      "password: hunter2: x\n",
      "a:\n  password:hunter2\n  b: 1\n",
      "password: 'hunter2'x'\n",
      "password: @hunter2\n",
      "apiKey: !hunter2\n",
    ];
    for (const text of texts) {
      expect(problemsOf(text)).not.toEqual([]);
      expect(problemsOf(text).join()).not.toContain("hunter2");
    }
  });
});

/** What is said about a source with these settings. */
function message(settings: string, environment: Record<string, string> = {}): string {
  try {
    load(
      `sources:\n  erp: { adapter: sql, ${settings} }\nstreams:\n  it: { source: erp, read: { table: t, key: k }, resource: tag, fields: { name: name } }\n`,
      environment,
    );
    return "";
  } catch (error) {
    return String(error);
  }
}

describe("the value that a problem of a source names", () => {
  it("is shown", () => {
    expect(message("url: 5432")).toContain("sources.erp.url: found 5432, expected text");
    expect(message("url: x, timezone: true")).toContain("sources.erp.timezone: found true, expected text");
  });

  it("is not shown where it comes from the environment, or may be secret", () => {
    expect(message("url: x, timezone: [ '${ZONE}' ]", { ZONE: "abcd" })).not.toContain("abcd");
    expect(message("url: [ 'postgres://sync:hunter2@h' ]")).not.toContain("hunter2");
    expect(message("url: x, timezone: { password: hunter2 }")).not.toContain("hunter2");
  });
});

describe("a suggestion", () => {
  it("is never what was written", () => {
    expect(didYouMean("url", ["url", "urls"])).toBe(', did you mean "urls"?');
    expect(didYouMean("url", ["url"])).toBe("");
    expect(didYouMean("Url", ["url"])).toBe(', did you mean "url"?');
    expect(didYouMean("url\u200b", ["url"])).toBe(
      ', which has an invisible or unusual character; expected "url" without it',
    );
    expect(didYouMean("url\u00a0", ["url"])).toContain("invisible");
  });
});
