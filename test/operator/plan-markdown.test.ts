import { describe, expect, it } from "vitest";
import { planMarkdown, type StreamPlan } from "#operator";
import { samplePlan } from "../web/sample-decisions.ts";

const [first] = samplePlan.samples;
const hostile =
  "| @octocat\n</details> <b>x</b> `a` **b** #12 !3 [c](https://evil.example) www.evil.example /close \u202e";

function withValue(value: string): StreamPlan {
  return {
    ...samplePlan,
    stream: "customers",
    samples: [
      { ...first!, id: { stream: "customers", key: value }, fields: [{ field: "name", before: value, after: value }] },
    ],
    causes: samplePlan.causes.map((cause) => ({ ...cause, message: value })),
    pollError: value,
  };
}

describe("the plan as Markdown", () => {
  const text = planMarkdown([samplePlan]);

  it("begins with what needs a person, then the totals, then folded examples", () => {
    const parts = [text.indexOf("**Warning:**"), text.indexOf("| stream |"), text.indexOf("<details>")];
    expect(parts).toEqual(parts.toSorted((a, b) => a - b));
    expect(parts[0]).toBeGreaterThan(0);
    expect(text).toContain("plan --confirm 0a1b2c3d4e5f");
    expect(text).toContain("| <code>customers</code> (mapping changed) | 3,980 | 2 | 1 | 4 | 133 |");
  });

  it("shows updates with the old and the new value, and counts those that it leaves out", () => {
    expect(text).toContain(
      "<code>name</code>: <code>&#34;Müller &#38;&#8203; Söhne AG&#34;</code> → <code>&#34;10001&#34;</code>",
    );
    expect(text).toContain("… and 3,978 more");
  });

  it("shows why records are parked, with examples", () => {
    expect(text).toMatch(
      /\| 1 \| parked \| no customerStatus is called .*Prospect.* \| <code>customers&#47;10077<\/code> \|/,
    );
  });

  it("says so when nothing changes", () => {
    const none = { create: 0, adopt: 0, update: 0, delete: 0, settle: 0, park: 0, wait: 0, skip: 0, unchanged: 3 };
    const quiet = {
      ...samplePlan,
      verdicts: none,
      samples: [],
      causes: [],
      fields: [],
      isHeld: false,
      isChange: false,
    };
    expect(planMarkdown([quiet])).toContain("No change.");
    expect(planMarkdown([{ ...quiet, verdicts: { ...none, unchanged: 0 } }])).toContain("Nothing waits");
  });

  it("warns of deletions", () => {
    const deleting = { ...samplePlan, verdicts: { ...samplePlan.verdicts, delete: 7 }, areDeletionsHeld: true };
    expect(planMarkdown([deleting])).toContain("customers&#58;&#8203; 7 records deleted");
    expect(planMarkdown([deleting])).toContain("The deletion guard does not allow so many deletions");
  });

  it("lets no text of the ERP break a table, format, link or mention anybody", () => {
    const shown = planMarkdown([withValue(hostile)]);
    const own = ["details", "summary", "code", "br"];
    expect([...shown.matchAll(/<\/?([^>]*)>/g)].map(([, tag]) => tag!).filter((tag) => !own.includes(tag))).toEqual([]);
    expect(shown.match(/<details>/g)?.length).toBe(shown.match(/<\/details>/g)?.length);
    expect(shown.replace("## What", "").replaceAll(/&#\d+;/g, "")).not.toMatch(/[@[\]`#!~\u202e]/u);
    expect(shown).not.toContain("https://");
    expect(shown).not.toMatch(/www\.|www&#46;/);
    expect(shown).toContain("&#64;&#8203;octocat");
    for (const line of shown.split("\n").filter((each) => each.startsWith("| <code>customers&#47;")))
      expect(line.split("|")).toHaveLength(4);
  });

  it("fits into a comment, and counts what it leaves out", () => {
    const long = withValue("@|".repeat(5_000));
    const many = Array.from({ length: 100 }, (_, at) => ({ ...long, stream: `stream${at}` }));
    for (const plans of [[long], many, many.slice(0, 30)]) {
      const shown = planMarkdown(plans);
      expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(60_000);
      expect(shown.match(/<details>/g)?.length).toBe(shown.match(/<\/details>/g)?.length);
    }
    expect(planMarkdown(many)).toMatch(/and [\d,]+ more warnings/);
    expect(planMarkdown(many)).toMatch(/[\d,]+ lists did not fit here/);
  });

  it("cuts a list in the middle and counts its rest", () => {
    const samples = Array.from({ length: 20 }, (_, at) => ({ ...first!, id: { stream: "customers", key: `K${at}` } }));
    const cut = planMarkdown([{ ...samplePlan, samples, causes: [] }], 4_500);
    const shown = cut.match(/customers&#47;K/g)!.length;
    expect(shown).toBeLessThan(20);
    expect(cut).toContain(`… and ${(3_980 - shown).toLocaleString("en")} more`);
  });
});
