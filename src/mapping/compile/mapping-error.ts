import { ParkError, type Json, type StreamName } from "#model";

/** The part of a stream that is being mapped: a field's name, or `when`. */
export interface FieldLocation {
  readonly stream: StreamName;
  readonly field: string;
}

/**
 * The error for a row that the sync file cannot map. It names the field and the kind of value found. It shows the value
 * only if a `map` lacks it and it is no longer than a code, because rows hold personal data and this text reaches logs
 * and pages.
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

/** Describes a value without revealing it. */
export function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (typeof value === "string") return value.trim() === "" ? "empty text" : "text";
  return kinds[typeof value] ?? "an object";
}
