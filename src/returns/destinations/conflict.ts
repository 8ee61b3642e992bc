import { ParkError, type ReturnId } from "#model";

/** What the inbox has is not what is handed over: another installation wrote it, or this store was put back. */
export function conflict(message: string, details: Readonly<Record<string, string>>): ParkError {
  return new ParkError("E_RETURN_CONFLICT", message, { details });
}

/** Versions of a subject never overtake each other, so another store wrote the newer one. */
export function newerVersion({ stream, subject, version }: ReturnId, found: number): ParkError {
  return conflict(
    `the inbox has version ${found} of ${stream}/${subject}, so version ${version} is not the newest that the ERP reads`,
    { found: String(found), expected: String(version) },
  );
}
