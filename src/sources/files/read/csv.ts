import { Readable } from "node:stream";
import { CsvError, parse as csvParser } from "csv-parse";
import { FileFault } from "../file-fault.ts";
import type { FilesRead } from "../schema.ts";
import { linesOf } from "./lines.ts";
import type { Parsed } from "./record.ts";

/** The longest record, in characters. */
const RECORD_LIMIT = 64 * 1024 * 1024;

/** The cells of a record, and the line where it ends. */
interface Cells {
  readonly cells: string[];
  readonly line: number;
}

/**
 * Yields the records of a CSV file in order.
 * @throws {FileFault} when the file as a whole cannot be read.
 */
export async function* csvRecords(text: AsyncIterable<string>, read: FilesRead): AsyncGenerator<Parsed> {
  let header: string[] | undefined;
  for await (const { cells, line } of read.strayQuotes === "text" ? lenient(text, read) : strict(text, read)) {
    if (header === undefined) header = checkedHeader(cells, read);
    else if (cells.length === header.length)
      yield { line, record: Object.fromEntries(header.map((name, at) => [name, cells[at]!])) };
    else
      yield {
        line,
        text: cells.join(read.separator),
        reason: `it has ${cells.length} columns, the header has ${header.length}`,
      };
  }
  if (header === undefined) throw new FileFault("the file is empty; not even a header is there");
}

async function* strict(text: AsyncIterable<string>, { separator, quote }: FilesRead): AsyncGenerator<Cells> {
  const lines = csvParser({
    delimiter: separator,
    quote: quote === "none" ? false : quote,
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    max_record_size: RECORD_LIMIT,
    info: true,
  });
  const source = Readable.from(text);
  source.on("error", (error) => lines.destroy(error));
  try {
    for await (const { record, info } of source.pipe(lines)) {
      const cells: string[] = record;
      // The header decides how lines end: if it ends without a carriage return, one at the end of a later line is not part of the cell.
      cells.push((cells.pop() ?? "").replace(/\r$/, ""));
      yield { cells, line: Number(info.lines) };
    }
  } catch (thrown) {
    if (thrown instanceof CsvError) throw csvFault(thrown);
    throw thrown;
  } finally {
    source.destroy();
  }
}

const QUOTE_REMEDY =
  "Write it twice in the ERP's export, or set `strayQuotes: text` to read it as text, or `quote: none` if the export quotes nothing";

function csvFault(cause: CsvError): FileFault {
  const lines: unknown = cause["lines"];
  const records: unknown = cause["records"];
  if (cause.code === "CSV_QUOTE_NOT_CLOSED")
    return new FileFault(
      `a quote is opened in record ${String(records)} and never closed. ${QUOTE_REMEDY}`,
      undefined,
      cause,
    );
  if (cause.code === "INVALID_OPENING_QUOTE" || cause.code === "CSV_INVALID_CLOSING_QUOTE")
    return new FileFault(`a quote is inside a value. ${QUOTE_REMEDY}`, Number(lines), cause);
  return new FileFault(cause.message, undefined, cause);
}

/**
 * Reads line by line: a quote that neither begins nor ends a quoted cell is text. A cell holds no line break, because a quote that is
 * never closed would else take in the lines that follow.
 */
async function* lenient(text: AsyncIterable<string>, read: FilesRead): AsyncGenerator<Cells> {
  let line = 0;
  for await (const one of linesOf(text, RECORD_LIMIT)) {
    line++;
    const cells = cellsOf(one, read);
    if (cells.some((cell) => cell.trim() !== "")) yield { cells, line };
  }
}

function cellsOf(line: string, { separator, quote }: FilesRead): string[] {
  const cells: string[] = [];
  for (let at = 0; ;) {
    const end = quote !== "none" && line.startsWith(quote, at) ? closingQuote(line, at + 1, separator, quote) : -1;
    if (end >= 0) {
      cells.push(line.slice(at + 1, end).replaceAll(quote + quote, quote));
      if (end + 1 === line.length) return cells;
      at = end + 1 + separator.length;
      continue;
    }
    const next = line.indexOf(separator, at);
    if (next < 0) return [...cells, line.slice(at)];
    cells.push(line.slice(at, next));
    at = next + separator.length;
  }
}

/** Where a quoted cell ends: a quote with the separator or the end of the line behind it. -1 if there is none. */
function closingQuote(line: string, from: number, separator: string, quote: string): number {
  for (let at = line.indexOf(quote, from); at >= 0; at = line.indexOf(quote, at + 1)) {
    if (line[at + 1] === quote) at++;
    else if (at + 1 === line.length || line.startsWith(separator, at + 1)) return at;
  }
  return -1;
}

function checkedHeader(cells: readonly string[], { key, columns = [] }: FilesRead): string[] {
  const header = cells.map((name) => name.trim());
  const missing = [...new Set([...key, ...columns])].filter((name) => !header.includes(name));
  if (missing.length > 0) throw new FileFault(`the header lacks ${missing.join(", ")}; it has ${header.join(", ")}`, 1);
  const twice = header.find((name, at) => header.indexOf(name) !== at);
  if (twice !== undefined) throw new FileFault(`the header has ${twice} twice`, 1);
  return header;
}
