import Table from "cli-table3";
import { CHAPTERS, type Verdict } from "./trial.ts";

/** Complaints of a chapter that are shown. */
const SHOWN = 8;

/** A line for each ERP, and below the table what was wrong. */
export function report(verdicts: readonly Verdict[]): string {
  const table = new Table({
    head: ["ERP", "records", ...CHAPTERS, "refused logins", "seconds"],
    style: { head: [], border: [] },
  });
  for (const { product, records, complaints, refusedLogins, seconds } of verdicts) {
    const marks = CHAPTERS.map((chapter) => (complaints[chapter]?.length === 0 ? "ok" : "FAILED"));
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
  return [table.toString(), ...lines, ""].join("\n");
}
