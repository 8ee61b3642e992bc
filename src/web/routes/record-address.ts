import { recordLabel, type RecordId, type StreamName } from "#model";
import type { Context } from "#server";
import type { StatusSource } from "../contract.ts";

/** `/records/STREAM/KEY`, and `/records/STREAM?key=KEY` for a key that a path cannot hold. */
export const recordPaths = ["/records/:stream/:key", "/records/:stream"] as const;

export function idOf(c: Context): RecordId | undefined {
  const key = c.req.query("key") ?? c.req.param("key");
  return key === undefined ? undefined : { stream: c.req.param("stream") ?? "", key };
}

/** Why a record cannot be shown. */
export function noRecord(id: RecordId): string {
  return `no such record: ${recordLabel(id)}; no poll has shown this key`;
}

/** Why a stream cannot be shown, with those that can. */
export function noStream(stream: StreamName, { streams }: Pick<StatusSource, "streams">): string {
  return `no such stream: found ${JSON.stringify(stream)}, expected one of ${streams.join(", ")}`;
}
