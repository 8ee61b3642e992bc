/** The text of a JSON column and, for the compiler, what it holds: the store wrote it, so its shape is known. */
export type JsonText<T> = string & { readonly holds?: T };

/** What a column that is always filled holds. */
export function parseText<T>(text: JsonText<T>): T {
  const value: T = JSON.parse(text);
  return value;
}

/** What a column that may be empty holds. */
export function parseOptional<T>(text: JsonText<T> | null): T | undefined {
  return text === null ? undefined : parseText(text);
}

/** The text of a value that may be absent. */
export function optionalText(value: object | string | number | boolean | null | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
