import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AdoptionPlan } from "#pipeline";
import { adoptionCsv, readAnswers } from "../../src/cli/adoption-csv.ts";

function plan(key: string): AdoptionPlan {
  const id = { stream: "customers", key };
  const shown = { name: "Müller, Nord", match: "customerId 10; 11" };
  const counterparts = [7, 8].map((serviceId) => ({ serviceId, ...shown }));
  const overwrites = [{ field: "name", from: '"A";', to: "B\n" }];
  const record = { id, ...shown, verdict: "ambiguous", candidates: [7, 8], counterparts, overwrites } as const;
  return {
    stream: "customers",
    create: "always",
    counts: {},
    orphanCount: 0,
    records: [record],
    orphans: [],
    blindFields: [],
  };
}

/** The plan as a person gives it back: serviceId filled in, saved with another delimiter. */
function answered(key: string, delimiter: string): string {
  const [head = "", ...rest] = adoptionCsv([plan(key)]).split("\r\n");
  const line = rest.join("\r\n").replace('"ambiguous","","7 8"', '"ambiguous","7","7 8"');
  const [cells, end] = [line.slice(0, line.lastIndexOf(',"ambiguous"')), line.slice(line.lastIndexOf(',"ambiguous"'))];
  const stream = '"customers",';
  const body = `${stream.replace(",", delimiter)}${cells.slice(stream.length)}${end.replaceAll('","', `"${delimiter}"`).replace(/^,/, delimiter)}`;
  return `${head.replaceAll(",", delimiter)}\r\n${body}`;
}

describe("the adoption list", () => {
  it("is refused in another encoding: a key would name another record", () => {
    const list = answered("Müller", ";");
    for (const [encoding, byte, named] of [
      ["latin1", "0xfc", "Windows-1252"],
      ["utf16le", "0xff", "UTF-16"],
    ] as const) {
      const content = Buffer.from(`${encoding === "utf16le" ? "\uFEFF" : ""}${list}`, encoding);
      const { answers, problems } = readAnswers(content, "list.csv");
      expect(answers).toEqual([]);
      expect(problems).toEqual([
        expect.stringMatching(`^list.csv:\\d+:\\d+: found the byte ${byte}, expected UTF-8.*${named}`),
      ]);
    }
  });

  it.each([",", ";", "\t"])("comes back with the keys it went out with, separated by %j", (delimiter) => {
    const odd = ["A;ambiguous;7;7", 'B,ambiguous,7,"7', "=1+1", "'=x", "-5", "a\nb", "tab\there", "'quoted'"];
    for (const key of odd)
      expect(readAnswers(Buffer.from(answered(key, delimiter)), "list.csv")).toMatchObject({
        answers: [{ id: { stream: "customers", key }, serviceId: 7 }],
        problems: [],
      });
  });

  it("answers no other record, whatever the key", () => {
    const letters = fc.constantFrom(",", ";", "\t", '"', "'", "=", "|", "7", "A", " ", "-", "ambiguous");
    fc.assert(
      fc.property(fc.array(letters, { minLength: 1, maxLength: 12 }), (parts) => {
        const key = `k${parts.join("")}k`;
        const { answers } = readAnswers(Buffer.from(answered(key, ";")), "list.csv");
        expect(answers.map(({ id }) => id.key)).toEqual([key]);
      }),
    );
  });

  it("is refused where a line has more cells than columns: an unquoted key would answer another record", () => {
    const text =
      '"stream","key","verdict","serviceId","candidates","reason"\r\ncustomers,A,ambiguous,7,7,,ambiguous,"",7,""';
    expect(readAnswers(Buffer.from(text), "list.csv")).toMatchObject({
      answers: [],
      problems: [expect.stringContaining("line 2")],
    });
  });

  it("takes an unquoted key with the other delimiter for what it is", () => {
    const text = "stream,key,verdict,serviceId,candidates,reason\r\ncustomers,A;ambiguous;7;7,ambiguous,8,7 8,\r\n";
    expect(readAnswers(Buffer.from(text), "list.csv").answers).toMatchObject([
      { id: { key: "A;ambiguous;7;7" }, serviceId: 8 },
    ]);
  });

  it("is refused without its first line", () => {
    expect(readAnswers(Buffer.from("customers,A,ambiguous,7,7,"), "list.csv")).toMatchObject({
      answers: [],
      problems: [expect.stringContaining("list.csv:1: found another first line")],
    });
  });

  it.each([
    ["new,12,", "found serviceId 12 for a record that is new, expected none"],
    ["unclear,12,", "found serviceId 12 for a record that is unclear, expected none"],
    ["matched,12,7", "found serviceId 12 for a record that is matched, expected 7"],
    ["matched,,7", "found no serviceId for a record that is matched, expected 7"],
    ["only in the service,7,", "found the key A for a record that is only in the service, expected none"],
  ])("refuses an answer that it would not carry out: %s", (cells, problem) => {
    const text = `stream,key,verdict,serviceId,candidates\r\ncustomers,B,ambiguous,7,7 8\r\ncustomers,A,${cells}\r\n`;
    expect(readAnswers(Buffer.from(text), "list.csv").problems).toEqual([
      `list.csv:3: ${problem}; only ambiguous records are answered here, "svcsync resolve STREAM/KEY --bind ID" binds any other`,
    ]);
  });

  it("takes the list as it was written, whatever its verdicts", () => {
    const [{ records }, id] = [plan("A"), { stream: "customers", key: "B" }];
    const verdicts = ["bound", "matched", "deleted", "new", "left out", "unclear"] as const;
    const others = verdicts.map((verdict) => {
      const isDecided = verdict === "bound" || verdict === "matched" || verdict === "deleted";
      return { ...records[0]!, id, verdict, candidates: isDecided ? [7] : [], counterparts: [] };
    });
    const orphans = [{ resource: "customer", serviceId: 9, name: "Nord", match: "customerId 9" }];
    const list = adoptionCsv([{ ...plan("A"), records: [...records, ...others], orphans }]);
    expect(readAnswers(Buffer.from(list), "list.csv")).toEqual({ answers: [], problems: [] });
  });

  it("names the line of a wrong answer", () => {
    const text = 'stream;key;verdict;serviceId;candidates;reason\r\ncustomers;"a\nb";ambiguous;9;7 8;\r\n';
    expect(readAnswers(Buffer.from(text), "list.csv").problems).toEqual([
      "list.csv:3: found serviceId 9, expected one of 7, 8",
    ]);
  });
});
