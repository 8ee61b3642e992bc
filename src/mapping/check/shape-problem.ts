import type { z } from "zod";
import { nearest } from "#model";
import { kindOf } from "../compile/mapping-error.ts";
import { didYouMean } from "../did-you-mean.ts";
import { isObject, memberOf } from "../object.ts";
import type { FilePath, Problem } from "./problem.ts";
import { choicesOf, memberNames, schemaAt } from "./schema-names.ts";

type Issue = z.core.$ZodIssue;

export interface ShapeOptions {
  /** Names only the kinds of values, because settings hold secrets; as a function: only of the values at some places. */
  readonly hideValues?: boolean | ((path: FilePath, value: unknown) => boolean);
}

/** Checks a part of the file. Returns its parsed value, or the problems in terms of the file. */
export function checkShape<T>(
  schema: z.ZodType<T>,
  value: unknown,
  path: FilePath,
  { hideValues = false }: ShapeOptions = {},
): { readonly value?: T; readonly problems: readonly Problem[] } {
  const result = schema.safeParse(value);
  if (result.success) return { value: result.data, problems: [] };
  const found = (value: unknown, at: FilePath) => {
    const isHidden = typeof hideValues === "function" ? hideValues(at, value) : hideValues;
    return isHidden ? kindOf(value) : shown(value);
  };
  return { problems: result.error.issues.flatMap((issue) => problemsOf(issue, { root: value, path, schema, found })) };
}

/** What an issue refers to: its path starts at `root`, and `path` is the position of `root` in the file. */
interface Setting {
  readonly root: unknown;
  readonly path: FilePath;
  readonly schema: z.core.$ZodType | undefined;
  readonly found: (value: unknown, path: FilePath) => string;
}

function problemsOf(issue: Issue, { root, path: at, schema: top, found }: Setting): Problem[] {
  const inner = issue.path.filter((part) => typeof part !== "symbol");
  const path = [...at, ...inner];
  const value = inner.reduce(memberOf, root);
  const schema = top && schemaAt(top, inner);
  const wanted = ownWords(issue.message);
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => unknownWord(path, key, memberNames(schema)));
  if (issue.code === "custom") {
    const offset: unknown = issue.params?.["offset"];
    return [{ path, message: issue.message, ...(typeof offset === "number" && { offset }) }];
  }
  if (issue.code === "invalid_key") {
    const name = String(inner.at(-1));
    return issue.issues.map(({ message }) => ({ path, atName: true, message: `found "${name}", ${message}` }));
  }
  if (issue.code === "invalid_union") {
    const at = meantChoice(issue.errors, value);
    const choice = { root: value, path, schema: choicesOf(schema)[at], found };
    if (at >= 0) return issue.errors[at]!.flatMap((nested) => problemsOf(nested, choice));
    const misspelt = misspeltWords(path, value, memberNames(schema));
    if (misspelt.length > 0) return misspelt;
    return [{ path, message: `found ${found(value, path)}, expected ${wanted ?? choiceKinds(issue.errors)}` }];
  }
  if (issue.code === "invalid_value") {
    const values = issue.values.map(String);
    const hint = typeof value === "string" ? didYouMean(value, values) : "";
    return [{ path, message: `found ${found(value, path)}, expected ${wanted ?? oneOf(values)}${hint}` }];
  }
  if (issue.code === "invalid_type")
    return [
      { path, message: `found ${found(value, path)}, expected ${wanted ?? kinds[issue.expected] ?? issue.expected}` },
    ];
  if (issue.code === "too_small")
    return [
      { path, message: `found ${found(value, path)}, expected at least ${counted(issue.minimum, issue.origin)}` },
    ];
  if (issue.code === "too_big")
    return [{ path, message: `found ${found(value, path)}, expected at most ${counted(issue.maximum, issue.origin)}` }];
  return [{ path, message: `found ${found(value, path)}, ${wanted ?? issue.message}` }];
}

/** A message that the schema itself defines, as opposed to the library's default. */
function ownWords(message: string): string | undefined {
  return /^(Invalid|Too |Unrecognized)/.test(message) ? undefined : message;
}

function unknownWord(path: FilePath, word: string, known: readonly string[]): Problem {
  // Another choice of the union has this word.
  if (known.includes(word)) {
    const message = `found "${word}", which does not go with the other words here, expected it alone, or to be left out`;
    return { path: [...path, word], atName: true, message };
  }
  const hint = didYouMean(word, known) || (known.length === 0 ? "" : `, expected one of ${known.join(", ")}`);
  return { path: [...path, word], atName: true, message: `found the unknown word "${word}"${hint}` };
}

function misspeltWords(path: FilePath, value: unknown, known: readonly string[]): Problem[] {
  if (!isObject(value)) return [];
  const misspelt = Object.keys(value).filter((word) => !known.includes(word) && nearest(word, known) !== undefined);
  return misspelt.map((word) => unknownWord(path, word, known));
}

/**
 * The choice of a union that was meant, or -1: the one that lacks none of its words and is not of another kind;
 * otherwise one that knows every word present. Of several, the one with the fewest oddities.
 */
function meantChoice(choices: readonly (readonly Issue[])[], value: unknown): number {
  const complete = choices.filter((issues) => issues.every((issue) => !isOtherKind(issue) && !isMissing(issue, value)));
  const familiar = choices.filter(
    (issues) => isObject(value) && unknownCount(issues) === 0 && issues.every((issue) => !isOtherKind(issue)),
  );
  const strangeness = (issues: readonly Issue[]) =>
    unknownCount(issues) + issues.filter((issue) => isStrange(issue, value)).length;
  const [meant] = [...complete, ...familiar].toSorted((a, b) => strangeness(a) - strangeness(b));
  return meant ? choices.indexOf(meant) : -1;
}

/** Whether a nested value is of a kind that no choice takes. */
function isStrange(issue: Issue, value: unknown): boolean {
  if (issue.code !== "invalid_union") return issue.code === "invalid_type";
  return meantChoice(issue.errors, valueAt(value, issue.path)) < 0;
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  return path.filter((part) => typeof part !== "symbol").reduce(memberOf, root);
}

function isOtherKind({ code, path }: Issue): boolean {
  return path.length === 0 && (code === "invalid_type" || code === "invalid_union" || code === "invalid_value");
}

function isMissing({ code, path }: Issue, value: unknown): boolean {
  const [first] = path;
  const isWrong = code === "invalid_type" || code === "invalid_union" || code === "invalid_value";
  return isWrong && path.length === 1 && typeof first !== "symbol" && memberOf(value, first!) === undefined;
}

function unknownCount(issues: readonly Issue[]): number {
  return issues.reduce((count, issue) => count + (issue.code === "unrecognized_keys" ? issue.keys.length : 0), 0);
}

const longestShown = 40;

function shown(value: unknown): string {
  if (typeof value === "string" && value.length <= longestShown) return JSON.stringify(value);
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (!isObject(value)) return kindOf(value);
  const names = Object.keys(value);
  return names.length === 0 ? "an empty object" : `an object with ${names.join(", ")}`;
}

/** `text or a list`: describes what a union takes that has no message of its own. */
function choiceKinds(choices: readonly (readonly Issue[])[]): string {
  const wanted = choices.map(([issue]) =>
    issue?.code === "invalid_type" && issue.path.length === 0 ? (kinds[issue.expected] ?? issue.expected) : "an object",
  );
  return [...new Set(wanted)].join(" or ");
}

function counted(count: number | bigint, origin: string): string {
  const noun = origin === "array" ? " item" : origin === "string" ? " character" : "";
  return `${count}${noun}${noun === "" || Number(count) === 1 ? "" : "s"}`;
}

function oneOf(names: readonly string[]): string {
  return names.length === 1 ? names.join() : `one of ${names.join(", ")}`;
}

const kinds: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};
