import { utf8Fault } from "#model";
import type { EnvironmentProblem } from "./problem.ts";
import { opensQuote } from "./quoted-values.ts";
import { isSettingsKey, keys } from "./schema/schema.ts";

/** A byte of another encoding would become another letter, in a password too. Texts of UTF-16 are found by their zeros. */
export function wrongBytes(bytes: Uint8Array): EnvironmentProblem[] {
  const fault = bytes.includes(0) ? undefined : utf8Fault(bytes);
  if (fault === undefined) return [];
  const found = `the byte ${fault.byte} in line ${fault.line}, at byte ${fault.column} of it`;
  return [{ key: "--env-file", found, wanted: `a file in UTF-8; it seems to be in ${fault.seems}` }];
}

/** Finds what the parser of env files silently ignores, cuts or joins. `outer` is the process environment. */
export function envFileProblems(
  content: string,
  texts: Readonly<Record<string, string>>,
  outer: Readonly<Record<string, string>>,
): EnvironmentProblem[] {
  // Windows consoles write and append UTF-16.
  if (content.includes("\0")) return [{ key: "--env-file", found: "UTF-16 text", wanted: "a file in UTF-8" }];
  const spaced = spacedNames(content);
  const dead = deadLines(content, { ...outer, ...texts });
  return [
    ...cutTexts(content, texts),
    ...spaced,
    ...dead.filter(({ key }) => spaced.every((problem) => problem.key !== key)),
    ...openQuotes(content, texts),
  ];
}

/** The lines that the parser reads, values over several lines included. */
const assignment =
  /^\s*(?:export\s+)?[\w.-]+(?:\s*=\s*?|:\s+?)(?:\s*'(?:\\'|[^'])*'|\s*"(?:\\"|[^"])*"|\s*`(?:\\`|[^`])*`|[^#\r\n]+)?\s*(?:#.*)?$/gm;

/** Finds names with blanks in them, such as `ERP URL=…`: such a line sets nothing. */
function spacedNames(content: string): EnvironmentProblem[] {
  const rest = content.replaceAll("\r", "").replace(assignment, "");
  const names = rest.matchAll(/^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*(?:[ \t]+\w+)+)[ \t]*=/gm);
  return [...names].map(([, name = ""]) => {
    const meant = name.replace(/[ \t]+/g, "_");
    // `set DATA_DIR=…` is the syntax of a console, not a name with a blank.
    const last = name.split(/[ \t]+/).at(-1) ?? "";
    const key = isSettingsKey(last) ? last : meant;
    if (key === last) return { key, found: "a line that sets nothing", wanted: `${key}=… and nothing before it` };
    return { key, found: `the name "${name}" with a blank in it`, wanted: `${meant}=…` };
  });
}

/** Finds quotes that are not closed: the value keeps the quote, or swallows the lines below it. */
function openQuotes(content: string, texts: Readonly<Record<string, string>>): EnvironmentProblem[] {
  return Object.entries(texts).flatMap(([name, text]) => {
    const raw = new RegExp(
      `^[ \\t]*(?:export[ \\t]+)?${name.replace(/[.-]/g, "\\$&")}[ \\t]*=[ \\t]*(.*?)[ \\t\\r]*$`,
      "m",
    ).exec(content)?.[1];
    const swallowed = /\n[ \t]*(?:export[ \t]+)?([A-Z]\w*)[ \t]*=/g;
    const lost = [...text.matchAll(swallowed)].map(([, inner = ""]) => inner).find(isSettingsKey);
    if (lost !== undefined)
      return [
        {
          key: name,
          found: `a quote that ends after the line of ${lost}`,
          wanted: `a quote at the end of the line of ${name}`,
        },
      ];
    return raw !== undefined && raw === text && opensQuote(name, text)
      ? [{ key: name, found: "a quote on one side only", wanted: `quotes on both sides: ${name}="…", or none` }]
      : [];
  });
}

/**
 * Finds values that the parser cuts: in a value without quotes, # starts a comment and the rest is silently lost. Half a password, or none,
 * takes hours to find.
 */
function cutTexts(content: string, texts: Readonly<Record<string, string>>): EnvironmentProblem[] {
  const lines = content.matchAll(/^[ \t]*(?:export[ \t]+)?([\w.-]+)[ \t]*=(?:[ \t]*([^\s#'"`][^\n#]*)#|#(?=\S))/gm);
  return [...lines].flatMap(([, name = "", before = ""]) => {
    const isCut = texts[name] === before && !/\s$/.test(before);
    return isCut ? [{ key: name, found: "a # inside a value without quotes", wanted: `quotes: ${name}='…#…'` }] : [];
  });
}

/** Finds lines such as `- STORE_URL=…` and `STORE_URL …`, which the parser silently ignores. */
function deadLines(content: string, texts: Readonly<Record<string, string>>): EnvironmentProblem[] {
  return Object.keys(keys).flatMap((key) => {
    const line = new RegExp(`^(?![ \\t]*(?:#|;|//))(?:[^#=\\n]*[^\\w.#=\\n-])?${key}(?![\\w.-])`, "m");
    if (texts[key] !== undefined || !line.test(content)) return [];
    return [{ key, found: "a line that sets nothing", wanted: `${key}=… and nothing before it` }];
  });
}
