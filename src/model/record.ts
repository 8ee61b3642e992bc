import type { JsonObject } from "./json.ts";

/** One kind of record on its way from a source to a resource; its name in the sync file. */
export type StreamName = string;

/** A record's id in the ERP. A composite key is joined by {@link joinKey}; a simple key is its own text. */
export type Key = string;

/** A record's identity in svcsync; everything else about it can be looked up with it. */
export interface RecordId {
  readonly stream: StreamName;
  readonly key: Key;
}

/** A record's columns as the ERP supplied them. Instants are ISO 8601 texts; decimals and 64-bit integers are never rounded. */
export type Row = JsonObject;

/**
 * Joins the parts of a composite key into a text that no other parts yield. Parts are separated by `|`; `\` and `|` inside a part are
 * escaped with `\`.
 * @throws {TypeError} when a part is null or undefined, or the list is empty: such a row has no identity.
 */
export function joinKey(parts: readonly unknown[]): Key {
  if (parts.length === 0) throw new TypeError("a key needs at least one part");
  return parts.length === 1 ? partText(parts[0]) : parts.map(partText).join("|");
}

function partText(part: unknown): string {
  if (typeof part !== "string" && typeof part !== "number" && typeof part !== "bigint" && typeof part !== "boolean")
    throw new TypeError(
      `a key part must be text, a number or a boolean, but one is ${part === null ? "null" : typeof part}`,
    );
  const text = String(part);
  return /[\\|]/.test(text) ? text.replaceAll(/[\\|]/g, "\\$&") : text;
}

/** Whether each key is greater than the one before, which also means that none occurs twice. */
export function isAscending(keys: readonly Key[]): boolean {
  for (let at = 1; at < keys.length; at++) if (keys[at - 1]! >= keys[at]!) return false;
  return true;
}

/** Splits a key into the parts that {@link joinKey} joined, as texts. */
export function splitKey(key: Key): string[] {
  const parts: string[] = [];
  let part = "";
  for (let at = 0; at < key.length; at++) {
    const char = key[at]!;
    if (char === "\\" && at + 1 < key.length) part += key[++at]!;
    else if (char === "|") {
      parts.push(part);
      part = "";
    } else part += char;
  }
  parts.push(part);
  return parts;
}

/** The form of a record in logs, errors and pages: `customers/10023`. */
export function recordLabel({ stream, key }: RecordId): string {
  return `${stream}/${key}`;
}

/** Reads what {@link recordLabel} writes: `customers/10023`. A key may contain slashes, and may be empty. */
export function parseRecord(label: string): RecordId | undefined {
  const at = label.indexOf("/");
  return at > 0 ? { stream: label.slice(0, at), key: label.slice(at + 1) } : undefined;
}

/** A unique name of a record for maps and sets. */
export function recordName({ stream, key }: RecordId): string {
  return `${stream}\u0000${key}`;
}
