import { readFileSync } from "node:fs";
import { parse } from "dotenv";
import type { Problem } from "./problem.ts";
import { systemCode } from "./system-code.ts";

/** The names and texts of an env file: the one that was asked for, or `.env` where there is one. */
export function readEnvFile(path: string | undefined, problems: Problem[]): Record<string, string> {
  try {
    const content = readFileSync(path ?? ".env", "utf8");
    const texts = parse(content);
    problems.push(...cutTexts(content, texts));
    return texts;
  } catch (error) {
    const code = systemCode(error);
    if (path !== undefined || code !== "ENOENT")
      problems.push({ key: "--env-file", found: `${path ?? ".env"} (${code})`, wanted: "a file that can be read" });
    return {};
  }
}

/**
 * A # inside a value that has no quotes begins a comment there, and the rest is gone without a word: half a password is
 * a riddle for hours.
 */
function cutTexts(content: string, texts: Readonly<Record<string, string>>): Problem[] {
  const lines = content.matchAll(/^[ \t]*(?:export[ \t]+)?([\w.-]+)[ \t]*=[ \t]*([^\s#'"`][^\n#]*)#/gm);
  return [...lines].flatMap(([, name = "", before = ""]) => {
    const isCut = texts[name] === before && !/\s$/.test(before);
    return isCut ? [{ key: name, found: "a # inside a value without quotes", wanted: `quotes: ${name}='…#…'` }] : [];
  });
}
