import { readdirSync, readFileSync } from "node:fs";
import { join, posix, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../", import.meta.url));

export interface SourceFile {
  /** From the root of the project, with slashes: `src/store/sqlite/store.ts`. */
  readonly path: string;
  /** `store`, or the file's own name for files that stand directly in `src`. */
  readonly room: string;
  readonly text: string;
  /** The text with blanks in place of comments, so that positions stay. */
  readonly code: string;
}

export function filesUnder(folder: string, ending: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .toSorted();
}

export function readSources(): SourceFile[] {
  return filesUnder("src", ".ts").map((path) => {
    const text = readFileSync(join(root, path), "utf8");
    return { path, room: path.split("/")[1] ?? path, text, code: withoutComments(text) };
  });
}

export interface Import {
  readonly file: SourceFile;
  /** As written: `#store`, `./cursor.ts`, `bullmq`. */
  readonly from: string;
  /** The path that a relative import leads to, else undefined. */
  readonly path: string | undefined;
}

const importPattern = /(?:\bfrom\s*|\bimport\s*\(\s*|\bimport\s+)(["'])([^"'\n]+)\1/g;

export function importsOf(file: SourceFile): Import[] {
  return [...file.code.matchAll(importPattern)].map(([, , from = ""]) => ({
    file,
    from,
    path: from.startsWith(".") ? posix.join(posix.dirname(file.path), from) : undefined,
  }));
}

/** The arguments of the call whose opening parenthesis stands at `open`, as written. */
export function argumentsAt(code: string, open: number): string[] {
  const found: string[] = [];
  let depth = 0;
  let start = open + 1;
  for (let at = open; at < code.length; at++) {
    const character = code[at]!;
    if (quotes.has(character)) at = endOfText(code, at);
    else if ("([{".includes(character)) depth++;
    else if (")]}".includes(character)) depth--;
    if (depth > 1 || (depth === 1 && code[at] !== ",")) continue;
    found.push(code.slice(start, at).trim());
    start = at + 1;
    if (depth === 0) break;
  }
  return found.filter((argument) => argument !== "");
}

const quotes = new Set(['"', "'", "`"]);

/** Where the text that opens at `at` closes. A template's `${}` is skipped with what stands in it. */
function endOfText(code: string, at: number): number {
  const quote = code[at];
  for (let end = at + 1; end < code.length; end++) {
    if (code[end] === "\\") end++;
    else if (quote === "`" && code.startsWith("${", end)) end = endOfHole(code, end + 1);
    else if (code[end] === quote) return end;
  }
  return code.length;
}

function endOfHole(code: string, open: number): number {
  let depth = 0;
  for (let at = open; at < code.length; at++) {
    const character = code[at]!;
    if (quotes.has(character)) at = endOfText(code, at);
    else if (character === "{") depth++;
    else if (character === "}" && --depth === 0) return at;
  }
  return code.length;
}

function withoutComments(text: string): string {
  let code = "";
  for (let at = 0; at < text.length; at++) {
    const two = text.slice(at, at + 2);
    if (quotes.has(two[0]!)) {
      const end = endOfText(text, at);
      code += text.slice(at, end + 1);
      at = end;
    } else if (two === "//" || two === "/*") {
      const close = two === "//" ? text.indexOf("\n", at) : text.indexOf("*/", at) + 2;
      const end = close === -1 ? text.length : close;
      code += text.slice(at, end).replace(/[^\n]/g, " ");
      at = end - 1;
    } else code += text[at];
  }
  return code;
}
