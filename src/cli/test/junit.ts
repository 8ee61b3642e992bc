import type { CaseResult } from "./run-case.ts";

/** The results as JUnit XML for build servers: one suite per file. */
export function junitText(results: ReadonlyMap<string, readonly CaseResult[]>): string {
  const suites = [...results].flatMap(([file, cases]) => {
    const failures = cases.filter(({ differences }) => differences.length > 0).length;
    return [
      `  <testsuite name=${quoted(file)} tests="${cases.length}" failures="${failures}" errors="0">`,
      ...cases.flatMap((result) => caseLines(file, result)),
      "  </testsuite>",
    ];
  });
  return ['<?xml version="1.0" encoding="UTF-8"?>', "<testsuites>", ...suites, "</testsuites>", ""].join("\n");
}

function caseLines(file: string, { title, line, differences, durationMs }: CaseResult): string[] {
  const place = `name=${quoted(title)} classname=${quoted(file)} file=${quoted(file)} line="${line}"`;
  const head = `    <testcase ${place} time="${(durationMs / 1000).toFixed(3)}"`;
  if (differences.length === 0) return [`${head}/>`];
  const [first = ""] = differences;
  const failure = `<failure message=${quoted(first)}>${escaped(differences.join("\n"))}</failure>`;
  return [`${head}>`, `      ${failure}`, "    </testcase>"];
}

function quoted(text: string): string {
  return `"${escaped(text)}"`;
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** XML cannot represent most control characters. */
function escaped(text: string): string {
  return text
    .replaceAll(/[&<>"]/g, (char) => entities[char]!)
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "\uFFFD");
}
