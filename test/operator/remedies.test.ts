import { execFileSync } from "node:child_process";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseRecord } from "#model";
import { errorCodes } from "#model";
import { recordWord, remedyOf, shellQuoted } from "#operator";

const id = { stream: "contacts", key: "K000020|1" };

describe("a remedy", () => {
  it("follows from the error: an ambiguous match is chosen, not tried again as it is", () => {
    const text = remedyOf({ code: "E_MATCH_AMBIGUOUS" }, id);
    expect(text).toMatch(/^Choose one of the candidates with "svcsync resolve 'contacts\/K000020\|1' --bind ID"/);
  });

  it("names a create, which may make a duplicate, after all other commands", () => {
    const creating = [...errorCodes()].filter((code) => remedyOf({ code }, id).includes("--create"));
    expect(creating.length).toBeGreaterThan(3);
    for (const code of creating) {
      const commands = [...remedyOf({ code }, id).matchAll(/"svcsync [^"]+"/g)].map(([command]) => command);
      expect(`${code}: ${commands[0]}`).not.toContain("--create");
    }
  });

  it("names the stream where the error is a stream's", () => {
    expect(remedyOf({ code: "E_SOURCE_CURSOR" }, { stream: "tickets" })).toContain('"svcsync reread tickets"');
  });

  it("leads to the documentation for a code that another version stored", () => {
    expect(remedyOf({ code: "E_OF_ANOTHER_VERSION" }, id)).toBe(
      "Look E_OF_ANOTHER_VERSION up in the documentation of the version that reported it.",
    );
  });
});

describe("a word for the shell", () => {
  it.each([
    ["customers/10023", "customers/10023"],
    ["contacts/K000020|1", "'contacts/K000020|1'"],
    ["a b", "'a b'"],
    ["Müller", "'Müller'"],
    ["it's", "$'it\\x27s'"],
    ['say "x"', "$'say \\x22x\\x22'"],
  ])("%s is %s", (text, word) => {
    expect(shellQuoted(text)).toBe(word);
  });

  it("comes out of the shell as it went in, whatever the key", () => {
    const keys = fc.string({
      unit: fc.constantFrom(...Array.from("aZ09|'\"`\\$!*;&<>(){}[]?~#%^ \t\n\u001b\u0007é漢🙂\u202e")),
      minLength: 1,
    });
    fc.assert(
      fc.property(keys, (key) => {
        const word = recordWord({ stream: "s", key });
        const seen = execFileSync("bash", ["-c", `printf %s ${word}`]).toString();
        expect(parseRecord(seen)).toEqual({ stream: "s", key });
        // oxlint-disable-next-line no-control-regex -- pages find commands by their double quotes
        expect(word).not.toMatch(/["\u0000-\u001f\u007f-\u009f\u202e]/);
      }),
      { numRuns: 60 },
    );
  });
});
