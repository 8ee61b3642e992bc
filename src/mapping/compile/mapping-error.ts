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
