import { csvText, eachRecord, recordRemedy } from "#operator";
import type { RecordView } from "#store";
import type { StatusSource } from "../contract.ts";
import { statesOf, type RecordsQuery } from "../pages/record/records-page.ts";

const linesMax = 50_000;

const heads = [
  "stream",
  "key",
  "state",
  "serviceId",
  "code",
  "message",
  "remedy",
  "attempts",
  "changedAt",
  "nextTryAt",
];

/** A list of records as a table for spreadsheets, up to 50,000 lines. */
export async function recordsCsv(source: StatusSource, query: RecordsQuery): Promise<string> {
  const lines: string[][] = [heads];
  for await (const record of eachRecord(source, { ...query, states: statesOf(query) })) {
    if (lines.length > linesMax) break;
    lines.push(lineOf(record));
  }
  return csvText(lines);
}

function lineOf(record: RecordView): string[] {
  const { id, state, binding, error, attempts, changedAt, dueAt } = record;
  return [
    id.stream,
    id.key,
    state,
    binding === undefined ? "" : String(binding.serviceId),
    error?.code ?? "",
    error?.message ?? "",
    recordRemedy(record) ?? "",
    String(attempts),
    new Date(changedAt).toISOString(),
    dueAt === undefined ? "" : new Date(dueAt).toISOString(),
  ];
}
