import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { ParkError, type Json, type JsonObject } from "#model";
import type { Catalog, TableOutline } from "../../source.ts";
import { parseLossless } from "../../wire/client/lossless-json.ts";
import { FileFault } from "../file-fault.ts";
import { matcher, parseDone } from "../folder/done-name.ts";
import type { Folder } from "../folder/folder.ts";
import { decoded } from "../read/decode.ts";
import { parsed } from "../read/parse.ts";
import { xmlDocument } from "../read/xml.ts";
import { filesRead, type FilesRead, type FilesSettings } from "../schema.ts";
import { guessColumns, guessKey, type GuessedColumn } from "./guess-columns.ts";
import { guessFormat, type Guessed } from "./guess-format.ts";
import { guessRows } from "./guess-rows.ts";

/** How much of a CSV or NDJSON file is looked at. Documents are looked at as a whole, up to the limit. */
const SAMPLE_BYTES = 1024 * 1024;
const DOCUMENT_BYTES = 32 * 1024 * 1024;
const SAMPLE_ROWS = 1_000;
const DATA_FILE = /\.(csv|txt|tsv|json|ndjson|jsonl|xml)$/i;

/** The files of a folder as tables: each pattern of names is one, and its latest file shows the columns. */
export function filesCatalog(folder: Folder, settings: FilesSettings): Catalog {
  return {
    of: "files",
    async tables() {
      return [...new Set((await known(folder, settings)).map(({ name }) => patternOf(name)))].toSorted();
    },
    async table(pattern) {
      const latest = (await known(folder, settings)).findLast(({ name }) => matcher(pattern)(name));
      if (latest === undefined)
        throw new ParkError("E_SOURCE_TABLE", `no file in ${settings.folder} matches ${pattern}`);
      try {
        return await outline(pattern, folder, latest.path);
      } catch (thrown) {
        if (!(thrown instanceof FileFault)) throw thrown;
        throw new ParkError("E_SOURCE_TABLE", `${latest.name} cannot be read: ${thrown.message}`, { cause: thrown });
      }
    },
  };
}

/** Files that were read, and those that wait, the latest last. */
async function known(folder: Folder, settings: FilesSettings): Promise<{ name: string; path: string }[]> {
  const done = (await folder.list(settings.done)).flatMap(({ name: stored }) => {
    const file = parseDone(stored);
    return file === undefined ? [] : [{ name: file.name, path: `${settings.done}/${stored}` }];
  });
  const here = (await folder.list("")).map(({ name }) => ({ name, path: name }));
  return [...done, ...here].filter(({ name }) => DATA_FILE.test(name));
}

/** `customers_20260302.csv` becomes `customers_*.csv`. */
function patternOf(name: string): string {
  return name.replaceAll(/\d+([-_.]?\d+)*/g, "*");
}

async function outline(pattern: string, folder: Folder, path: string): Promise<TableOutline> {
  const start = await bytesOf(folder, path, SAMPLE_BYTES);
  const guessed = guessFormat(start);
  const isDocument = guessed.format === "json" || guessed.format === "xml";
  const bytes = isDocument ? await bytesOf(folder, path, DOCUMENT_BYTES) : wholeLines(start);
  const rows = isDocument ? guessRows(await documentOf(bytes, guessed)) : "";
  if (rows === undefined) throw new FileFault("no list of records was found in it");
  const header = guessed.format === "csv" ? await headerOf(bytes, guessed) : [];
  const records: JsonObject[] = [];
  const words = { ...guessed, files: pattern, kind: "delta", key: header.slice(0, 1), rows };
  const read = await readable(bytes, { ...words, key: header.length > 0 ? words.key : ["-"] }, records);
  const columns = guessColumns(records);
  const named =
    header.length > 0 && columns.length === 0 ? header.map((name) => ({ name, kind: "text" as const })) : columns;
  return { columns: named, key: guessKey(records, columns), read: wordsOf(read, named) };
}

/** The words by which all rows can be read: quotes inside a value need a word of their own. */
async function readable(bytes: Buffer, words: object, records: JsonObject[]): Promise<FilesRead> {
  for (const strayQuotes of ["refuse", "text"] as const) {
    const read = filesRead.parse({ ...words, strayQuotes });
    records.length = 0;
    try {
      for await (const one of parsed(Readable.from([bytes]), read)) {
        if ("record" in one) records.push(one.record);
        if (records.length >= SAMPLE_ROWS) break;
      }
      return read;
    } catch (thrown) {
      if (!(thrown instanceof FileFault) || read.format !== "csv" || strayQuotes === "text") throw thrown;
    }
  }
  throw new FileFault("it cannot be read");
}

/** The words of `read` besides the key; those that have their default are left out. */
function wordsOf(read: FilesRead, columns: readonly GuessedColumn[]): Readonly<Record<string, Json>> {
  const { files, kind, format, encoding, separator, rows, strayQuotes } = read;
  const numbers = columns.flatMap(({ name, decimal }) => (decimal === undefined ? [] : [name]));
  const dates = columns.flatMap(({ name, date }) => (date === undefined ? [] : [[name, date] as const]));
  const isComma = columns.some(({ decimal }) => decimal === ",");
  return {
    files,
    kind,
    format,
    ...(encoding === "utf8" ? {} : { encoding }),
    ...(format === "csv" ? { separator } : {}),
    ...(strayQuotes === "refuse" ? {} : { strayQuotes }),
    ...(rows === "" ? {} : { rows }),
    ...(numbers.length === 0 ? {} : { numbers, ...(isComma ? { decimal: "," } : {}) }),
    ...(dates.length === 0 ? {} : { dates: Object.fromEntries(dates) }),
  };
}

async function documentOf(bytes: Buffer, { format, encoding }: Guessed): Promise<Json> {
  let text = "";
  for await (const piece of decoded(Readable.from([bytes]), encoding)) text += piece;
  if (format === "xml") return xmlDocument(text, encoding);
  try {
    return parseLossless(text);
  } catch (cause) {
    throw new FileFault("it is not JSON, or too large to look at", undefined, cause);
  }
}

async function headerOf(bytes: Buffer, { encoding, separator }: Guessed): Promise<string[]> {
  let text = "";
  for await (const piece of decoded(Readable.from([bytes]), encoding)) text += piece;
  const [line = ""] = text.trimStart().split(/\r\n|\n|\r/, 1);
  return line.split(separator).map((name) =>
    name
      .trim()
      .replace(/^"(.*)"$/, "$1")
      .trim(),
  );
}

async function bytesOf(folder: Folder, path: string, most: number): Promise<Buffer> {
  const file = await folder.open(path);
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of file) {
    pieces.push(Buffer.from(piece));
    size += pieces.at(-1)!.length;
    if (size >= most) break;
  }
  file.destroy();
  return await buffer(Readable.from(pieces));
}

/** The bytes without a last line that may be cut. */
function wholeLines(bytes: Buffer): Buffer {
  const end = bytes.lastIndexOf(0x0a);
  return bytes.length < SAMPLE_BYTES || end < 0 ? bytes : bytes.subarray(0, end + 1);
}
