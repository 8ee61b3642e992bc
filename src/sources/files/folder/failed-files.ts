import type { FileReport } from "#model";
import type { KeylessRows } from "../../source.ts";
import type { BadLine, FileFault } from "../file-fault.ts";
import type { Inspected } from "../read/inspect.ts";
import type { FilesRead, FilesSettings } from "../schema.ts";
import { matcher, type ClaimedFile, type Gaps } from "./done-name.ts";
import type { Folder } from "./folder.ts";

const REPORT = ".error.txt";
/** The most of a report that is shown, in characters. */
const REPORT_SHOWN = 1_000;

/** What is reported about a file that cannot be used. */
export function refusal({ name }: ClaimedFile, fault: FileFault): Required<FileReport> {
  const place = fault.line === undefined ? name : `${name}:${fault.line}`;
  return { name, fault: { code: "E_SOURCE_FILE", place, reason: fault.message } };
}

/** Moves a file that cannot be used to the failed folder, with a report beside it. */
export async function putIntoFailed(
  folder: Folder,
  settings: FilesSettings,
  { path, file, report }: { readonly path: string; readonly file: ClaimedFile; readonly report: Required<FileReport> },
): Promise<void> {
  const target = `${settings.failed}/${file.stored}`;
  const { code, place, reason } = report.fault;
  await folder.write(`${target}${REPORT}`, `${code} ${place}: ${reason}\n`);
  await folder.move(path, target);
}

/** Writes the lines that cannot be used into the failed folder. Returns the path of the report. */
export async function reportLines(
  folder: Folder,
  settings: FilesSettings,
  { name, stored }: ClaimedFile,
  bad: readonly BadLine[],
): Promise<string> {
  const report = `${settings.failed}/${stored}.lines.ndjson`;
  const lines = bad.map((one) => JSON.stringify({ code: "E_SOURCE_FILE_LINE", place: `${name}:${one.line}`, ...one }));
  await folder.write(report, `${lines.join("\n")}\n`);
  return report;
}

/** The report of the stream's last refused file; undefined if there is none. */
export async function lastRefusal(
  folder: Folder,
  settings: FilesSettings,
  read: FilesRead,
): Promise<string | undefined> {
  const fits = matcher(read.files);
  const names = (await folder.list(settings.failed)).map(({ name }) => name);
  const last = names.findLast((name) => name.endsWith(REPORT) && fits(deliveredName(name)));
  if (last === undefined) return undefined;
  let text = "";
  for await (const chunk of await folder.open(`${settings.failed}/${last}`)) {
    text += String(chunk);
    if (text.length > REPORT_SHOWN) break;
  }
  return text.slice(0, REPORT_SHOWN).trim();
}

/** The name under which the ERP delivered a file of the failed folder. */
export function deliveredName(stored: string): string {
  return stored.replace(/^\d{8}T\d{9}Z_/, "").replace(/\.(lines\.ndjson|error\.txt)$/, "");
}

/**
 * A file whose rows were all seen settles an earlier one of its name. Lines without a key have no record that could tell of them; those of a
 * full file that counts are told as long as it is the last one.
 */
export function readReport(file: ClaimedFile, { keyless }: Inspected, gaps: Gaps | undefined): readonly FileReport[] {
  if (keyless === undefined) return gaps === undefined ? [{ name: file.name }] : [];
  if (gaps === "keyless") return [];
  return [{ name: file.name, fault: { code: "E_SOURCE_FILE_LINE", ...keylessRows(file, keyless) } }];
}

export function keylessRows({ name }: ClaimedFile, { count, first }: NonNullable<Inspected["keyless"]>): KeylessRows {
  const more = count > 1 ? ` (and ${count - 1} more lines without a readable key)` : "";
  return { place: `${name}:${first.line}`, reason: `${first.reason}${more}` };
}
