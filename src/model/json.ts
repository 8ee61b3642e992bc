/** Any value that survives JSON. Rows, projections and cursors consist only of such values. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

export type JsonObject = { [name: string]: Json };

/**
 * The canonical text of a value: object members sorted by name, no white space. svcsync treats two values as equal exactly if their
 * canonical texts are equal.
 */
export function canonicalJson(value: Json): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const { sorted, isKept } = shapeOf(value);
  const copy = isKept ? flatCopy(value, sorted) : undefined;
  if (copy) return JSON.stringify(copy);
  const members = sorted.map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name] ?? null)}`);
  return `{${members.join(",")}}`;
}

/**
 * A copy of the object with its members in this order, which JSON.stringify then writes at once. Undefined if a member is an object or an
 * array.
 */
function flatCopy(value: JsonObject, names: readonly string[]): JsonObject | undefined {
  const copy: JsonObject = {};
  for (const name of names) {
    const member = value[name] ?? null;
    if (typeof member === "object" && member !== null) return undefined;
    copy[name] = member;
  }
  return copy;
}

interface Shape {
  readonly names: readonly string[];
  readonly sorted: readonly string[];
  /** Whether an object keeps these members in the order of assignment. */
  readonly isKept: boolean;
}

/** Integer names, which objects always put first, and `__proto__`, which cannot be assigned as a member. */
const NOT_KEPT = /^(?:\d+|__proto__)$/;

/** Consecutive rows of a table have the same names, so names are sorted once. */
let last: Shape = { names: [], sorted: [], isKept: true };

function shapeOf(value: JsonObject): Shape {
  const names = Object.keys(value);
  if (names.length !== last.names.length || names.some((name, at) => name !== last.names[at]))
    last = { names, sorted: names.toSorted(), isKept: !names.some((name) => NOT_KEPT.test(name)) };
  return last;
}

/** The deepest nesting of lists and objects in a row. Deeper values exhaust the stack of code that walks them. */
export const DEEPEST_LEVELS = 64;

/** Whether a value nests deeper than {@link DEEPEST_LEVELS}. Looks no deeper than necessary. */
export function nestsTooDeeply(value: Json, levels: number = DEEPEST_LEVELS): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => nestsTooDeeply(member, levels - 1));
}

/** What a text says as JSON; undefined if it is none. */
export function parsedJson(text: string): Json | undefined {
  try {
    const value: Json = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
