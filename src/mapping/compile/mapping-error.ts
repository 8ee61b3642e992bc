import { ParkError, type Json, type StreamName } from "#model";

/** What of a stream is being mapped: a field's name, or `when`. */
export interface FieldLocation {
  readonly stream: StreamName;
  readonly field: string;
}

/**
 * A row that the sync file cannot map. Says which field and what kind of value was found; the value only where it should be in a
 * `map` and is no longer than a code, since rows hold people's data and this text reaches logs and pages.
 */
export function mappingError(
  { stream, field }: FieldLocation,
  message: string,
  details: Record<string, Json> = {},
): ParkError {
  return new ParkError("E_MAPPING", `${stream}.${field}: ${message}`, { details: { stream, field, ...details } });
}

const kinds: Readonly<Record<string, string>> = {
  number: "a number",
  boolean: "true or false",
  function: "a function",
};

/** What a value is, in words that tell nothing of it. */
export function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (typeof value === "string") return value.trim() === "" ? "empty text" : "text";
  return kinds[typeof value] ?? "an object";
}
