import { parse } from "csv-parse/sync";
import type { RecordId } from "#model";
import type { AdoptionPlan } from "#pipeline";

const COLUMNS = ["stream", "key", "verdict", "serviceId", "candidates", "reason"] as const;

/**
 * The plan as a table for a spreadsheet. `serviceId` is empty where a person has to choose: filled in, the file is the answer
 * that `adopt --answers` reads. Records of the service that nothing in the ERP answers to have no stream key.
 */
export function adoptionCsv(plans: readonly AdoptionPlan[]): string {
  const lines: string[][] = [[...COLUMNS]];
  for (const { stream, records, orphans } of plans) {
    for (const { id, verdict, candidates, error } of records)
      lines.push([
        stream,
        id.key,
        verdict,
        verdict === "matched" || verdict === "bound" ? String(candidates[0]) : "",
        candidates.join(" "),
        error?.message ?? "",
      ]);
    for (const { serviceId, label } of orphans)
      lines.push([stream, "", "only in the service", String(serviceId), "", label]);
  }
  return `${lines.map((cells) => cells.map(quoted).join(",")).join("\r\n")}\r\n`;
}

/** Quoted where needed; a cell that a spreadsheet would take for a formula is not given to it as one. */
function quoted(cell: string): string {
  const safe = /^[=+\-@\t\r]/.test(cell) && Number.isNaN(Number(cell)) ? `'${cell}` : cell;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** One line of an edited plan: this record is that one. */
export interface Answer {
  readonly id: RecordId;
  readonly serviceId: number;
  /** `file:line`, for messages. */
  readonly place: string;
}

/** Reads the answers out of an edited plan: the ambiguous lines whose serviceId is filled in. Problems are all found at once. */
export function readAnswers(text: string, file: string): { answers: Answer[]; problems: string[] } {
  const answers: Answer[] = [];
  const problems: string[] = [];
  let rows: Record<string, string>[];
  try {
    // Spreadsheets of some countries save with semicolons.
    rows = parse(text, {
      columns: true,
      bom: true,
      delimiter: [",", ";"],
      skip_empty_lines: true,
      relax_column_count: true,
    });
  } catch (thrown) {
    return { answers, problems: [`${file}: ${thrown instanceof Error ? thrown.message : String(thrown)}`] };
  }
  rows.forEach((row, index) => {
    const place = `${file}:${index + 2}`;
    if (row["verdict"] !== "ambiguous" || !row["serviceId"]) return;
    const serviceId = Number(row["serviceId"]);
    const candidates = (row["candidates"] ?? "").split(" ");
    if (!candidates.includes(row["serviceId"].trim()))
      problems.push(`${place}: found serviceId ${row["serviceId"]}, wanted one of ${candidates.join(", ")}`);
    else answers.push({ id: { stream: row["stream"] ?? "", key: unquoted(row["key"] ?? "") }, serviceId, place });
  });
  return { answers, problems };
}

function unquoted(cell: string): string {
  return /^'[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell;
}
