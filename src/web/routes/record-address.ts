import { recordLabel, type RecordId, type StreamName } from "#model";
import type { App, Context } from "#server";
import type { StatusSource } from "../contract.ts";

/** `/records/STREAM/KEY`, and `/records/STREAM?key=KEY` for a key that a path cannot hold. */
export const recordPaths = ["/records/:stream/:key", "/records/:stream"] as const;

export function addressedRecord(c: Context): RecordId | undefined {
  const key = c.req.query("key") ?? c.req.param("key");
  return key === undefined ? undefined : { stream: c.req.param("stream") ?? "", key };
}

/** Why a record cannot be shown. */
export function noRecord(id: RecordId): string {
  return `no such record: ${recordLabel(id)}; no poll has returned this key`;
}

/** Why a stream cannot be shown, and which streams exist. */
export function noStream(stream: StreamName, { streams }: Pick<StatusSource, "streams">): string {
  return `no such stream: found ${JSON.stringify(stream)}, expected one of ${streams.join(", ")}`;
}

/** Serves `path` for each stream of the sync file; any other stream gets 404. */
export function ofStream(
  app: App,
  path: `${string}/:stream/${string}`,
  status: Pick<StatusSource, "streams">,
  answer: (c: Context, stream: StreamName) => Promise<Response>,
): void {
  app.get(path, async (c) => {
    const stream = c.req.param("stream") ?? "";
    return status.streams.includes(stream) ? answer(c, stream) : c.text(`${noStream(stream, status)}\n`, 404);
  });
}
