import Table from "cli-table3";
import { CHAPTERS } from "./chapters.ts";
import type { Verdict } from "./trial.ts";

/** Complaints of a chapter that are shown. */
const SHOWN = 8;

/** A line for each ERP, and below the table what was wrong. */
export function report(verdicts: readonly Verdict[]): string {
  const table = new Table({
    head: ["ERP", "records", ...CHAPTERS, "refused logins", "seconds"],
    style: { head: [], border: [] },
  });
  for (const { product, records, complaints, skipped, refusedLogins, seconds } of verdicts) {
    const marks = CHAPTERS.map((chapter) => {
      if (chapter in skipped) return "skipped";
      const found = complaints[chapter];
      if (found === undefined) return "-";
      return found.length === 0 ? "ok" : "FAILED";
    });
    table.push([product, records, ...marks, refusedLogins, Math.round(seconds)]);
  }
  const lines = verdicts.flatMap(({ product, complaints }) =>
    CHAPTERS.flatMap((chapter) => {
      const found = complaints[chapter] ?? [];
      const more = found.length > SHOWN ? [`  and ${found.length - SHOWN} more`] : [];
      return found.length === 0
        ? []
        : [`${product}, ${chapter}:`, ...found.slice(0, SHOWN).map((line) => `  ${line}`), ...more];
    }),
  );
  const reasons = verdicts.flatMap(({ product, skipped }) =>
    Object.entries(skipped).map(([chapter, reason]) => `${product}, ${chapter}: skipped, ${reason}`),
  );
  return [table.toString(), ...reasons, ...lines, ""].join("\n");
}
