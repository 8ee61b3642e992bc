import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { anchorOf } from "../../deploy/site/anchors.ts";
import { argumentsAt, filesUnder, root, type SourceFile } from "./source-files.ts";

export interface Document {
  readonly path: string;
  readonly text: string;
}

export function readDocuments(folder: string): Document[] {
  return filesUnder(folder, ".md").map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}

/** The chapters of a catalogue: its README is only the way in. */
export function chapters(folder: string): Document[] {
  return readDocuments(folder).filter(({ path }) => basename(path) !== "README.md");
}

/** The error codes that a file names in its code, comments aside. */
export function codesOf({ code }: SourceFile): string[] {
  return [...code.matchAll(/["'`](E_[A-Z0-9_]+)["'`]/g)].map(([, found = ""]) => found);
}

export interface LogCall {
  readonly path: string;
  readonly level: string;
  /** The message, or undefined where it is not a static text. */
  readonly message: string | undefined;
}

/** Every call of a logger: whatever it is named, its name ends in `log` or `logger`. */
export function logCallsOf({ path, code }: SourceFile): LogCall[] {
  return [...code.matchAll(/(?:\blog|Log|\blogger|Logger)\??\.(debug|info|warn|error)\(/g)].map((match) => {
    const last = argumentsAt(code, match.index + match[0].length - 1).at(-1) ?? "";
    const message = /^"((?:[^"\\]|\\.)*)"$/.exec(last)?.[1];
    return { path, level: match[1] ?? "", message };
  });
}

/** The rows of a catalogue of messages; a message of several levels (`info, debug`) counts as several. */
export function messageRowsOf({ path, text }: Document): LogCall[] {
  return text.split("\n").flatMap((line) => {
    const [, levels = "", message = ""] = line.split("|").map((cell) => cell.trim().replace(/^`(.*)`$/, "$1"));
    if (!/^(debug|info|warn|error)(, (debug|info|warn|error))*$/.test(levels)) return [];
    return levels.split(", ").map((level) => ({ path, level, message }));
  });
}

/** Links to other files of the project and to headings: `[text](target)`. Code is not read. */
export function linksOf({ text }: Document): string[] {
  const prose = text.replace(/^(```|~~~)[\s\S]*?^\1/gm, "").replace(/`[^`\n]*`/g, "");
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = ""]) => target)
    .filter((target) => !/^[a-z]+:/.test(target));
}

/** The anchors of a document's headings. */
export function anchorsOf({ text }: Document): Set<string> {
  return new Set([...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading)));
}
