import Table from "cli-table3";
import type { Counts } from "./drain.ts";
import type { ChaosResult } from "./run.ts";
import type { StreamVerdict } from "./verdict.ts";

/** Complaints that are shown; all of them are in the folder that is kept. */
export const SHOWN = 20;

/** The verdict as tables for people and one line of JSON for programs. */
export function report(result: ChaosResult): string {
  const { streams, counts, kills, commands, strikes, facts, logged, complaints, folder, seed, minutes } = result;
  const lines = [
    verdictTable(streams, counts),
    twoColumns("what happened", facts),
    twoColumns("kill -9", kills),
    twoColumns("the operator ran", commands),
    twoColumns("faults of the service", strikes),
    twoColumns("in the log, warn and above", logged),
    ...complaints.slice(0, SHOWN).map((line) => `  ${line}`),
    complaints.length === 0
      ? "Nothing was lost, doubled, overwritten or left behind."
      : `THE VERDICT IS BAD: ${complaints.length} complaints. Log, store and ERP are in ${folder}`,
    JSON.stringify({ seed, minutes, ok: complaints.length === 0, ...asCounts(result) }),
  ];
  return `${lines.join("\n")}\n`;
}

/** What became of each stream. */
export function verdictTable(streams: readonly StreamVerdict[], counts: Counts): string {
  const verdict = new Table({
    head: ["stream", "ERP rows", "records", "duplicates", "missing", "stale", "unexplained", "parked", "waiting"],
    style: { head: [], border: [] },
  });
  for (const { stream, rows, records, duplicates, missing, stale, unexplained } of streams) {
    const { parked = 0, uncertain = 0, waiting = 0 } = counts[stream] ?? {};
    const wrong = [duplicates, missing, stale, unexplained].map(({ length }) => length);
    verdict.push([stream, rows, records, ...wrong, parked + uncertain, waiting]);
  }
  return verdict.toString();
}

function asCounts({ streams, facts, kills, strikes }: ChaosResult) {
  const sum = (pick: (stream: ChaosResult["streams"][number]) => readonly string[]) =>
    streams.reduce((total, stream) => total + pick(stream).length, 0);
  return {
    duplicates: sum(({ duplicates }) => duplicates),
    missing: sum(({ missing }) => missing),
    stale: sum(({ stale }) => stale),
    unexplained: sum(({ unexplained }) => unexplained),
    ...facts,
    killsByStep: kills,
    faultsByKind: strikes,
  };
}

export function twoColumns(title: string, facts: Readonly<Record<string, number>>): string {
  const table = new Table({ head: [title, "count"], style: { head: [], border: [] } });
  table.push(...Object.entries(facts).map(([name, count]) => [name, count.toLocaleString("en")]));
  return table.toString();
}
