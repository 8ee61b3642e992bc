import { parse } from "csv-parse/sync";
import { messageOf, utf8Fault, type RecordId, type Utf8Fault } from "#model";
import { csvText } from "#operator";
import type { AdoptionPlan, PlannedRecord } from "#pipeline";
import { overwriteText } from "#operator";

const COLUMNS = [
  "stream",
  "key",
  "verdict",
  "serviceId",
  "candidates",
  "reason",
  "name",
  "match",
  "serviceName",
  "serviceMatch",
  "overwrites",
] as const;

/** The verdict for a record of the service that no row of the ERP matches. */
const ORPHAN = "only in the service";
const BOUND_ALONE = 'only ambiguous records are answered here, "svcsync resolve STREAM/KEY --bind ID" binds any other';

/** Whether the plan itself determines the record of the service. */
function isDecided(verdict: string): boolean {
  return verdict === "matched" || verdict === "deleted" || verdict === "bound";
}

/**
 * The plan as a table for a spreadsheet. `serviceId` is empty where a person has to choose; with it filled in, the file
 * is the input of `adopt --answers`. Records of the service without a matching ERP row have no stream key.
 */
export function adoptionCsv(plans: readonly AdoptionPlan[]): string {
  const lines: string[][] = [[...COLUMNS]];
  for (const { stream, records, orphans } of plans) {
    for (const record of records) lines.push(lineOf(stream, record));
    for (const { serviceId, name, match } of orphans)
      lines.push([stream, "", ORPHAN, String(serviceId), "", "", "", "", name, match, ""]);
  }
  return csvText(lines);
}

function lineOf(stream: string, record: PlannedRecord): string[] {
  const { id, verdict, candidates, error, name, match, counterparts, overwrites } = record;
  return [
    stream,
    id.key,
    verdict,
    isDecided(verdict) ? String(candidates[0]) : "",
    candidates.join(" "),
    error?.message ?? "",
    name,
    match,
    counterparts.map((each) => each.name).join(" / "),
    counterparts.map((each) => each.match).join(" / "),
    overwrites.map(overwriteText).join(" / "),
  ];
}

/** A byte of another encoding would become another letter, so that a key names another record or none. */
function wrongByte({ byte, seems }: Utf8Fault): string {
  return `found the byte ${byte}, expected UTF-8: save the list as "CSV UTF-8"; it seems to be in ${seems}`;
}

/** One line of an edited plan: it binds this ERP record to that service record. */
export interface CsvRow {
  readonly id: RecordId;
  readonly serviceId: number;
  /** `file:line`, for messages. */
  readonly place: string;
}

/**
 * Reads the answers from an edited plan: the ambiguous lines whose serviceId is filled in. All problems are found at
 * once. An answer in any other line is a problem, because a record that a person knows to exist must not be created
 * again.
 */
export function readAnswers(content: Uint8Array, file: string): { answers: CsvRow[]; problems: string[] } {
  const answers: CsvRow[] = [];
  const problems: string[] = [];
  const fault = utf8Fault(content);
  if (fault !== undefined) return { answers, problems: [`${file}:${fault.line}:${fault.column}: ${wrongByte(fault)}`] };
  const text = Buffer.from(content).toString("utf8");
  const delimiter = delimiterOf(text);
  if (delimiter === undefined) {
    const wanted = `expected a first line of ${COLUMNS.join(", ")}, separated by comma, semicolon or tab`;
    return { answers, problems: [`${file}:1: found another first line, ${wanted}`] };
  }
  let rows: Row[];
  try {
    rows = parse(text, { columns: true, bom: true, delimiter, skip_empty_lines: true, info: true, ...shortLines });
  } catch (thrown) {
    return { answers, problems: [`${file}: ${messageOf(thrown)}`] };
  }
  rows.forEach(({ record: row, info }) => {
    const place = `${file}:${info.lines}`;
    const problem = problemIn(row);
    const [stream, key, serviceId] = [cell(row, "stream"), unquoted(row["key"] ?? ""), cell(row, "serviceId")];
    if (problem !== undefined) problems.push(`${place}: ${problem}`);
    else if (cell(row, "verdict") === "ambiguous" && serviceId !== "")
      answers.push({ id: { stream, key }, serviceId: Number(serviceId), place });
  });
  return { answers, problems };
}

interface Row {
  readonly record: Readonly<Record<string, string>>;
  /** `lines`: the line on which the record ends. */
  readonly info: { readonly lines: number };
}

/** What is wrong with the answer in a line; undefined if nothing is. */
function problemIn(row: Row["record"]): string | undefined {
  const [verdict, serviceId] = [cell(row, "verdict"), cell(row, "serviceId")];
  const candidates = cell(row, "candidates").split(" ");
  if (verdict === "ambiguous") {
    if (serviceId === "" || candidates.includes(serviceId)) return undefined;
    return `found serviceId ${serviceId}, expected one of ${candidates.join(", ")}`;
  }
  if (verdict === ORPHAN) {
    if (cell(row, "key") === "") return undefined;
    return `found the key ${cell(row, "key")} for a record that is only in the service, expected none; ${BOUND_ALONE}`;
  }
  const planned = isDecided(verdict) ? candidates[0]! : "";
  if (serviceId === planned) return undefined;
  const found = serviceId === "" ? "no serviceId" : `serviceId ${serviceId}`;
  return `found ${found} for a record that is ${verdict}, expected ${planned === "" ? "none" : planned}; ${BOUND_ALONE}`;
}

/** Trimmed; empty where the line is shorter. */
function cell(row: Row["record"], column: (typeof COLUMNS)[number]): string {
  return row[column]?.trim() ?? "";
}

/** Spreadsheets omit empty cells at the end of a line; more cells than columns are a mistake. */
const shortLines = { relax_column_count_less: true };

/** The cell separator, read from the header: spreadsheets in some countries save with semicolons. */
function delimiterOf(text: string): string | undefined {
  return /^\uFEFF?"?stream"?([,;\t])"?key"?\1/.exec(text)?.[1];
}

function unquoted(cell: string): string {
  return /^'[=+\-@\t\r']/.test(cell) ? cell.slice(1) : cell;
}
