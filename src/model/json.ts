/** Any value that survives JSON. Rows, projections and cursors are made of nothing else. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

export type JsonObject = { [name: string]: Json };

/**
 * The one text form of a value: object members sorted by name, no white space.
 * Two values are the same for svcsync exactly when their canonical texts are equal.
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

/** The object with its members in this order, so that the engine can write it at once; undefined where a member holds others. */
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
  /** An object keeps members of these names in the order in which they are assigned. */
  readonly isKept: boolean;
}

/** What an object puts first whatever the order, and what is not assigned as a member. */
const NOT_KEPT = /^(?:\d+|__proto__)$/;

/** Rows of a table have the same names one after the other: they are sorted once. */
let last: Shape = { names: [], sorted: [], isKept: true };

function shapeOf(value: JsonObject): Shape {
  const names = Object.keys(value);
  if (names.length !== last.names.length || names.some((name, at) => name !== last.names[at]))
    last = { names, sorted: names.toSorted(), isKept: !names.some((name) => NOT_KEPT.test(name)) };
  return last;
}

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
