import { ParkError, type StreamName } from "#model";

/**
 * What was found for a stream that a visitor named.
 * @throws {ParkError} E_RECORD_UNKNOWN when the sync file has no such stream.
 */
export function knownStream<Found>(found: Found | undefined, name: StreamName): Found {
  if (found === undefined) throw new ParkError("E_RECORD_UNKNOWN", `${name} is not in the sync file`);
  return found;
}
