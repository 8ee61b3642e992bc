/** The text of a JSON column, typed with its content. The store wrote it, so its shape is known. */
export type JsonText<T> = string & { readonly holds?: T };

/** Parses a column that is never null. */
export function parseText<T>(text: JsonText<T>): T {
  const value: T = JSON.parse(text);
  return value;
}

/** Parses a nullable column. */
export function parseOptional<T>(text: JsonText<T> | null): T | undefined {
  return text === null ? undefined : parseText(text);
}

/** The JSON text of an optional value. */
export function optionalText(value: object | string | number | boolean | null | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
