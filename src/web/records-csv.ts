import type { RecordId } from "#model";
import { csvText, recordRemedy } from "#operator";
import type { RecordView } from "#store";
import type { StatusSource } from "./contract.ts";
import { statesOf, type RecordsQuery } from "./pages/records-page.ts";

const linesMax = 50_000;
const pageSize = 500;

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
  let { after } = query;
  while (lines.length <= linesMax) {
    const asked = { ...query, states: statesOf(query), limit: pageSize, ...(after ? { after } : {}) };
    const records = await source.records(asked);
    lines.push(...records.map(lineOf));
    if (records.length < pageSize) break;
    const last: RecordId = records.at(-1)!.id;
    after = last;
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
