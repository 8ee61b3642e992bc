import type { RecordId } from "#model";

/**
 * A record as one text: the data of its job and the name of its wake-up. JSON escapes whatever a key may hold (colons,
 * NUL, half a surrogate pair), so every backend stores it as it is.
 */
export function recordText({ stream, key }: RecordId): string {
  return JSON.stringify([stream, key]);
}

/** @throws {TypeError} for a text that {@link recordText} did not write. */
export function parseRecord(text: string): RecordId {
  const parts: unknown = JSON.parse(text);
  if (Array.isArray(parts)) {
    const [stream, key]: unknown[] = parts;
    if (typeof stream === "string" && typeof key === "string") return { stream, key };
  }
  throw new TypeError("a job does not name a record");
}
