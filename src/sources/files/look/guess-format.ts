import { isUtf8 } from "node:buffer";
import { parsedJson } from "#model";
import type { FilesRead } from "../schema.ts";
import { guessRows } from "./guess-rows.ts";

const SEPARATORS = [";", "\t", ",", "|"] as const;
/** How many lines are compared to find the separator. */
const LINES = 50;
const NEWLINE = 0x0a;

/** How a file is written, as far as its first bytes show. */
export type Guessed = Pick<FilesRead, "format" | "encoding" | "separator">;

/** Guesses encoding, format and separator from the beginning of a file. */
export function guessFormat(bytes: Uint8Array): Guessed {
  const encoding = encodingOf(bytes);
  const text = decodedStart(bytes, encoding)
    .replace(/^\uFEFF/, "")
    .trimStart();
  const format = formatOf(text);
  return { encoding, format, separator: format === "csv" ? separatorOf(text) : ";" };
}

/** ISO-8859-1 is not distinguished: Windows-1252 has its letters in the same places. */
function encodingOf(bytes: Uint8Array): Guessed["encoding"] {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf16le";
  // The last character may be cut.
  const end = bytes.lastIndexOf(NEWLINE);
  return isUtf8(end < 0 ? bytes : bytes.subarray(0, end)) ? "utf8" : "cp1252";
}

function decodedStart(bytes: Uint8Array, encoding: Guessed["encoding"]): string {
  const labels = { utf8: "utf-8", utf16le: "utf-16le", cp1252: "windows-1252", latin1: "windows-1252" };
  return new TextDecoder(labels[encoding]).decode(bytes);
}

function formatOf(text: string): Guessed["format"] {
  if (text.startsWith("<")) return "xml";
  if (text.startsWith("[")) return "json";
  if (!text.startsWith("{")) return "csv";
  const [first = "", ...more] = text.trimEnd().split(/\r?\n/, 2);
  const document = parsedJson(first);
  if (document === undefined) return "json";
  return more.length === 0 && guessRows(document) !== undefined ? "json" : "ndjson";
}

/** The separator that the header has, and that most lines have as often as the header does. */
function separatorOf(text: string): string {
  const lines = text
    .split(/\r\n|\n|\r/)
    .slice(0, LINES)
    .filter((line) => line.trim() !== "");
  const ranked = SEPARATORS.map((separator) => {
    const counts = lines.map((line) => line.replace(/"[^"]*"/g, "").split(separator).length - 1);
    const [header = 0] = counts;
    return { separator, score: header === 0 ? 0 : counts.filter((count) => count === header).length * 1_000 + header };
  });
  const best = ranked.toSorted((a, b) => b.score - a.score)[0]!;
  return best.score === 0 ? ";" : best.separator;
}
