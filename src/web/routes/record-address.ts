import type { RecordId } from "#model";
import type { Context } from "#server";

/** `/records/STREAM/KEY`, and `/records/STREAM?key=KEY` for a key that a path cannot hold. */
export const recordPaths = ["/records/:stream/:key", "/records/:stream"] as const;

export function idOf(c: Context): RecordId | undefined {
  const key = c.req.query("key") ?? c.req.param("key");
  return key === undefined ? undefined : { stream: c.req.param("stream") ?? "", key };
}
