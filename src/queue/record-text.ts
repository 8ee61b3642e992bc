import type { RecordId } from "#model";

/**
 * Records as one text: the data of their job. JSON escapes whatever a key may hold (colons, NUL, half a surrogate pair),
 * so every backend stores it as it is.
 */
export function recordsText(ids: readonly RecordId[]): string {
  return JSON.stringify(ids.map(({ stream, key }) => [stream, key]));
}

/** @throws {TypeError} for a text that {@link recordsText} did not write. */
export function parseRecords(text: string): RecordId[] {
  const parts: unknown = JSON.parse(text);
  if (!Array.isArray(parts)) throw unreadable();
  return parts.map(parseRecord);
}

function parseRecord(part: unknown): RecordId {
  if (Array.isArray(part)) {
    const [stream, key]: unknown[] = part;
    if (typeof stream === "string" && typeof key === "string") return { stream, key };
  }
  throw unreadable();
}

function unreadable(): TypeError {
  return new TypeError("a job does not name its records");
}
