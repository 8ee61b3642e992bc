import type { Json, JsonObject } from "#model";
import type { OutlineKind } from "../../source.ts";

/** What the values of a column are, as far as the first rows show. */
export interface GuessedColumn {
  readonly name: string;
  readonly kind: OutlineKind;
  /** The decimal sign of its numbers, where it has one that must be set. */
  readonly decimal?: "." | ",";
  /** The pattern of its dates. */
  readonly date?: string;
}

const DATES: readonly (readonly [RegExp, string])[] = [
  [/^\d{1,2}\.\d{1,2}\.\d{4}$/, "DD.MM.YYYY"],
  [/^\d{1,2}\.\d{1,2}\.\d{4} \d{1,2}:\d{2}$/, "DD.MM.YYYY HH:mm"],
  [/^\d{1,2}\.\d{1,2}\.\d{4} \d{1,2}:\d{2}:\d{2}$/, "DD.MM.YYYY HH:mm:ss"],
  [/^\d{4}\/\d{1,2}\/\d{1,2}$/, "YYYY/MM/DD"],
];
const ISO = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/** The columns of the rows, in the order in which they come. */
export function guessColumns(rows: readonly JsonObject[]): GuessedColumn[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return names.map((name) => {
    const values = rows.map((row) => row[name] ?? null).filter((value) => value !== null && value !== "");
    return { name, ...kindOf(values) };
  });
}

function kindOf(values: readonly Json[]): Omit<GuessedColumn, "name"> {
  const all = (fits: (value: Json) => boolean) => values.length > 0 && values.every(fits);
  const matches = (pattern: RegExp) => all((value) => typeof value === "string" && pattern.test(value.trim()));
  if (all((value) => typeof value === "number")) return { kind: "number" };
  if (values.some((value) => typeof value === "object" || typeof value === "boolean")) return { kind: "other" };
  if (matches(ISO)) return { kind: "stamp" };
  for (const [pattern, date] of DATES) if (matches(pattern)) return { kind: "stamp", date };
  if (matches(/^-?\d{1,3}(\.\d{3})*,\d+$|^-?\d+,\d+$/)) return { kind: "text", decimal: "," };
  return matches(/^-?\d{1,3}(,\d{3})+\.\d+$/) ? { kind: "text", decimal: "." } : { kind: "text" };
}

/** Names by which a column looks like a key. */
const KEY_NAME =
  /(^|[^a-z])(id|no|nr|num|number|nummer|key|code|uuid|schl(ü|ue)ssel)\.?$|(Id|ID|No|Nr|Nummer|Number|Key|Code)\.?$/;
/** Only the first columns are combined: keys come first. */
const COMBINED = 6;

/** The column, or the two columns, whose values name each row; empty where none do, or where too few rows show it. */
export function guessKey(rows: readonly JsonObject[], columns: readonly GuessedColumn[]): readonly string[] {
  if (rows.length < 2) return [];
  const usable = columns.filter(({ kind, decimal }) => (kind === "text" || kind === "number") && decimal === undefined);
  const names = usable.map(({ name }) => name).toSorted((a, b) => Number(isKeyName(b)) - Number(isKeyName(a)));
  const single = names.find((name) => areUnique(rows, [name]));
  if (single !== undefined && isKeyName(single)) return [single];
  const likely = names.slice(0, COMBINED).filter(isKeyName);
  const pairs = likely.flatMap((first, at) => likely.slice(at + 1).map((second) => [first, second]));
  return pairs.find((pair) => areUnique(rows, pair)) ?? (single === undefined ? [] : [single]);
}

function isKeyName(name: string): boolean {
  return KEY_NAME.test(name);
}

function areUnique(rows: readonly JsonObject[], names: readonly string[]): boolean {
  const keys = rows.map((row) => names.map((name) => row[name] ?? ""));
  if (keys.some((key) => key.includes(""))) return false;
  return new Set(keys.map((key) => JSON.stringify(key))).size === keys.length;
}
