import type { z } from "zod";
import { didYouMean } from "./nearest.ts";
import { kindOf } from "./mapping-error.ts";
import type { FilePath, Problem } from "./problem.ts";

type Issue = z.core.$ZodIssue;

export interface ShapeOptions {
  /** Name only the kinds of values: settings hold secrets. */
  readonly hideValues?: boolean;
}

/** Checks a part of the file; its parsed value, or what is wrong with it in words of the file. */
export function checkShape<T>(
  schema: z.ZodType<T>,
  value: unknown,
  path: FilePath,
  options: ShapeOptions = {},
): { readonly value?: T; readonly problems: readonly Problem[] } {
  const result = schema.safeParse(value);
  if (result.success) return { value: result.data, problems: [] };
  return { problems: result.error.issues.flatMap((issue) => problemsOf(issue, value, path, schema, options)) };
}

function problemsOf(issue: Issue, root: unknown, at: FilePath, schema: z.ZodType, options: ShapeOptions): Problem[] {
  const inner = issue.path as (string | number)[];
  const path = [...at, ...inner];
  const value = valueAt(root, inner);
  const found = options.hideValues ? kindOf(value) : shown(value);
  const own = ownWords(issue.message);
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => {
        const known = knownNames(schemaAt(schema, inner));
        const hint = didYouMean(key, known) || (known.length === 0 ? "" : `, wanted one of ${known.join(", ")}`);
        return { path: [...path, key], atName: true, message: `found the unknown word "${key}"${hint}` };
      });
    case "invalid_union": {
      const branches = issue.errors as Issue[][];
      const branch = meantBranch(branches, value);
      if (branch === undefined) return [{ path, message: `found ${found}, wanted ${own ?? "another kind of value"}` }];
      const option = optionAt(schemaAt(schema, inner), branches.indexOf(branch));
      return branch.flatMap((nested) => problemsOf(nested, value, path, option ?? schema, options));
    }
    case "invalid_key":
      return issue.issues.map((nested) => ({
        path,
        atName: true,
        message: `found "${inner.at(-1)}", ${nested.message}`,
      }));
    case "invalid_value": {
      const wanted = issue.values.map(String);
      const hint = typeof value === "string" ? didYouMean(value, wanted) : "";
      return [{ path, message: `found ${found}, wanted ${own ?? oneOf(wanted)}${hint}` }];
    }
    case "invalid_type":
      return [{ path, message: `found ${found}, wanted ${own ?? expectedKind(issue.expected)}` }];
    case "custom": {
      const offset: unknown = issue.params?.["offset"];
      return [{ path, message: issue.message, ...(typeof offset === "number" && { offset }) }];
    }
    default:
      return [{ path, message: `found ${found}, ${own ?? issue.message.replace(/^[^:]*: expected/, "wanted")}` }];
  }
}

/** The wording that a schema gives itself, as against the library's own. */
function ownWords(message: string): string | undefined {
  return /^(Invalid|Too |Unrecognized)/.test(message) ? undefined : message;
}

/**
 * Of a choice between kinds of values, the one that was meant: not of another kind altogether, and with the word that
 * makes it this kind (`expr`, `lookup` …) present. Undefined when none can be told.
 */
function meantBranch(branches: readonly Issue[][], value: unknown): Issue[] | undefined {
  const meant = branches.filter((issues) =>
    issues.every((issue) => {
      if (issue.code !== "invalid_type" && issue.code !== "invalid_union" && issue.code !== "invalid_value")
        return true;
      if (issue.path.length === 0) return false;
      return issue.path.length > 1 || valueAt(value, issue.path as (string | number)[]) !== undefined;
    }),
  );
  const candidates = meant.length > 0 ? meant : withItsWord(branches, value);
  return candidates.toSorted((a, b) => strangers(a) - strangers(b))[0];
}

/** Branches that lack a word but know all others, so that `{ lookup: tag }` is told what else a look-up needs. */
function withItsWord(branches: readonly Issue[][], value: unknown): Issue[][] {
  if (typeof value !== "object" || value === null || Object.keys(value).length === 0) return [];
  return branches.filter((issues) => strangers(issues) === 0 && issues.every((issue) => issue.path.length > 0));
}

function strangers(issues: readonly Issue[]): number {
  return issues.reduce((count, issue) => count + (issue.code === "unrecognized_keys" ? issue.keys.length : 0), 0);
}

function valueAt(root: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((value, part) => (value as Record<string, unknown> | null | undefined)?.[part], root);
}

type AnyDef = {
  readonly shape?: Record<string, z.ZodType>;
  readonly options?: readonly z.ZodType[];
  readonly innerType?: z.ZodType;
  readonly in?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly element?: z.ZodType;
};

function definition(schema: z.ZodType): AnyDef {
  const def = schema.def as AnyDef;
  const wrapped = def.innerType ?? def.in;
  return wrapped ? definition(wrapped) : def;
}

function schemaAt(schema: z.ZodType, path: readonly (string | number)[]): z.ZodType | undefined {
  return path.reduce<z.ZodType | undefined>((schema, part) => {
    if (!schema) return undefined;
    const { shape, valueType, element } = definition(schema);
    return shape?.[part] ?? valueType ?? element;
  }, schema);
}

function optionAt(schema: z.ZodType | undefined, at: number): z.ZodType | undefined {
  return schema && definition(schema).options?.[at];
}

function knownNames(schema: z.ZodType | undefined): string[] {
  if (!schema) return [];
  const { shape, options } = definition(schema);
  return shape ? Object.keys(shape) : (options ?? []).flatMap(knownNames);
}

function shown(value: unknown): string {
  if (typeof value === "string" && value.length <= 40) return JSON.stringify(value);
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return kindOf(value);
  const names = Object.keys(value);
  return names.length === 0 ? "an empty object" : `an object with ${names.join(", ")}`;
}

function oneOf(names: readonly string[]): string {
  return names.length === 1 ? names[0]! : `one of ${names.join(", ")}`;
}

function expectedKind(expected: string): string {
  const kinds: Record<string, string> = {
    string: "text",
    number: "a number",
    int: "a whole number",
    boolean: "true or false",
    array: "a list",
    object: "an object",
    record: "an object",
  };
  return kinds[expected] ?? expected;
}
