import type { PromiseCells, Verdict } from "./promise-table.ts";

/** The tables of one run as a page: promises by number, subjects down, reasons as footnotes below. */
export function promisesText(cells: PromiseCells, ranOn: string): string {
  const promises = [...new Set(Object.values(cells).flatMap((row) => Object.keys(row)))];
  const reasons: string[] = [];
  const cell = (verdict: Verdict | undefined): string => {
    if (verdict === undefined) return "not run";
    if (verdict.kind === "proven") return "✓";
    if (!("reason" in verdict)) return "**failed**";
    if (!reasons.includes(verdict.reason)) reasons.push(verdict.reason);
    return `${verdict.kind === "skipped" ? "○" : "–"}${letter(reasons.indexOf(verdict.reason))}`;
  };
  const rows = Object.entries(cells).map(
    ([subject, row]) => `| ${subject} | ${promises.map((promise) => cell(row[promise])).join(" | ")} |`,
  );
  const numbers = promises.map((_, at) => String(at + 1));
  return `${introduction(ranOn)}
${promises.map((promise, at) => `${at + 1}. ${promise}`).join("\n")}

| | ${numbers.join(" | ")} |
| --- |${" --- |".repeat(promises.length)}
${rows.join("\n")}

${reasons.map((reason, at) => `- ${letter(at)}: ${reason}`).join("\n")}
`;
}

function letter(at: number): string {
  return String.fromCodePoint("a".codePointAt(0)! + at);
}

const introduction = (ranOn: string) => `# What every source was proven to do

Written by \`npm run promises\`, which runs the conformance suite for every adapter and puts its verdicts here. The last run was on ${ranOn}.

✓ proven, – does not apply, ○ skipped, each with the letter of its reason. A database appears once for each way in which it
can tell what changed. SQLite, PostgreSQL and MariaDB are real servers and files; the services behind odata, odoo and rest are
local servers written from the vendors' documentation. Presets of products have tests of their own beside their adapters, and
none was run against the product itself.
`;
