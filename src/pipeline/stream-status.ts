import { isJsonObject, type Clock, type Cursor, type ErrorFacts, type RecordState, type StreamName } from "#model";
import type { Stream } from "#mapping";
import type { Store } from "#store";
import { heldNote } from "./adoption-gate.ts";
import { droppedNote } from "./dropped-fields.ts";

/** How a stream stands, for `status`, the page and the metrics. */
export interface StreamStatus {
  readonly stream: StreamName;
  readonly source: string;
  readonly resource: string;
  /** `loading` until the first poll reached its end, `held` while a person must decide, `failing` while polls fail. */
  readonly state: "loading" | "following" | "failing" | "held";
  readonly cursor: Cursor | null;
  readonly polledAt: number | undefined;
  readonly completedAt: number | undefined;
  /** Milliseconds since a poll last reached the end of its window. */
  readonly lagMs: number | undefined;
  readonly rowsRead: number;
  readonly counts: Partial<Record<RecordState, number>>;
  /** Why polls fail or the stream is held. */
  readonly error: ErrorFacts | undefined;
  /** Fields that the service answered 200 to and did not keep. */
  readonly droppedFields: readonly string[];
}

/** The status of each stream, from the store alone: right beside a running daemon and without one. */
export async function streamStatus(store: Store, streams: readonly Stream[], clock: Clock): Promise<StreamStatus[]> {
  const counts = await store.counts();
  return Promise.all(streams.map((stream) => oneStatus(store, stream, counts.get(stream.name) ?? {}, clock.now())));
}

async function oneStatus(
  store: Store,
  stream: Stream,
  counts: StreamStatus["counts"],
  now: number,
): Promise<StreamStatus> {
  const { cursor, polledAt, completedAt, rowsRead, firstLoad, error } = await store.cursor(stream.name);
  const held = await heldError(store, stream.name);
  const dropped: string[] = [];
  for (const field of stream.ownedFields)
    if ((await store.note(droppedNote(stream.name, field))) !== undefined) dropped.push(field);
  return {
    stream: stream.name,
    source: stream.source,
    resource: stream.resource,
    state: held ? "held" : error ? "failing" : firstLoad ? "loading" : "following",
    cursor,
    polledAt,
    completedAt,
    lagMs: completedAt === undefined ? undefined : Math.max(0, now - completedAt),
    rowsRead,
    counts,
    error: held ?? error,
    droppedFields: dropped,
  };
}

async function heldError(store: Store, stream: StreamName): Promise<ErrorFacts | undefined> {
  const note = await store.note(heldNote(stream));
  if (!isJsonObject(note) || typeof note["code"] !== "string" || typeof note["message"] !== "string") return undefined;
  const details = isJsonObject(note["details"]) ? note["details"] : {};
  return { code: note["code"] as ErrorFacts["code"], message: note["message"], details };
}
