import Table from "cli-table3";
import { cpus } from "node:os";
import type { Figures, Run } from "./comparison.ts";

type Row = readonly [what: string, of: (figures: Figures) => string];

const ROWS: readonly Row[] = [
  ["first load, s (of these before the first request)", ({ firstLoad }) => time(firstLoad)],
  ["  processor time, s", ({ firstLoad }) => firstLoad.processorSeconds.toFixed(1)],
  ["  peak memory, MB", ({ firstLoad }) => whole(firstLoad.peakMegabytes)],
  ["  requests", ({ firstLoad }) => whole(firstLoad.requests)],
  ["  right afterwards", ({ firstLoad, customers }) => share(firstLoad, customers)],
  ["100 rows changed: run, s", ({ changes }) => time(changes)],
  ["  processor time, s", ({ changes }) => changes.processorSeconds.toFixed(1)],
  ["  requests, updates among them", ({ changes }) => `${whole(changes.requests)}, ${whole(changes.updates)}`],
  ["  right afterwards", ({ changes, customers }) => share(changes, customers)],
  ["kill -9 after so many creates", ({ afterKill }) => whole(afterKill.createdBefore)],
  ["  next run, s", ({ afterKill }) => time(afterKill)],
  [
    "  until all but 64 are there, s (of these before the first create)",
    ({ afterKill: { secondsToOthers, secondsToCreate } }) =>
      `${secondsToOthers.toFixed(1)} (${secondsToCreate.toFixed(1)})`,
  ],
  ["  requests", ({ afterKill }) => whole(afterKill.requests)],
  ["  duplicates", ({ afterKill }) => whole(afterKill.duplicates)],
  ["  missing", ({ afterKill }) => whole(afterKill.missing)],
  ["  right afterwards", ({ afterKill, customers }) => share(afterKill, customers)],
];

/** One table per latency, a column per system. */
export function peersText(all: readonly Figures[]): string {
  const [model] = cpus();
  const head = `Node ${process.version}, ${cpus().length} processors (${model?.model.trim() ?? "unknown"})\n`;
  const tables = [...Map.groupBy(all, ({ latencyMs }) => latencyMs)].map(([latencyMs, columns]) => {
    const title = `${whole(columns[0]?.customers ?? 0)} customers, ${latencyMs} ms latency`;
    const table = new Table({
      head: [title, ...columns.map(({ peer }) => peer)],
      colAligns: ["left", ...columns.map(() => "right" as const)],
      style: { head: [], border: [], compact: true },
    });
    for (const [what, of] of ROWS) table.push([what, ...columns.map(of)]);
    return table.toString();
  });
  return `${head}\n${tables.join("\n\n")}\n`;
}

function time({ seconds, secondsOfRequests }: Run): string {
  return `${seconds.toFixed(1)} (${Math.max(0, seconds - secondsOfRequests).toFixed(1)})`;
}

function share({ right }: Run, customers: number): string {
  return `${whole(right)} of ${whole(customers)}`;
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en");
}
