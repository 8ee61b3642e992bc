import type { Json } from "#model";

/** A JSON column that is always filled; the store wrote it, so its shape is known. */
export function parseText<T>(text: string): T {
  return JSON.parse(text) as T;
}

/** A JSON column that may be empty. */
export function parseOptional<T>(text: string | null): T | undefined {
  return text === null ? undefined : parseText<T>(text);
}

/** The text of a value that may be absent. */
export function optionalText(value: Json | object | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
