import { ParkError, recordName, type RecordId, type StreamName } from "#model";
import type { Stream } from "#mapping";
import type { RecordStore, RecordView } from "#store";
import { referencesIn } from "../resolver.ts";

/** Records whose turn has come that are looked at per stream: with more, a first load is under way. */
const LOOKED_AT = 1_000;

type View = Pick<RecordView, "id" | "row" | "deleted">;

/**
 * Children of a record that the ERP deleted too and that have not been looked up in the service yet, as after a lost
 * store. They are found through their parent, so it must not go before them. Of a stream with more unbound records than can
 * be looked at, those that were deleted count as children.
 */
export async function deletedChildren(
  store: { records(...of: Parameters<RecordStore["records"]>): Promise<readonly View[]> },
  streams: ReadonlyMap<StreamName, Stream>,
  parent: RecordId,
): Promise<RecordId[]> {
  const children: RecordId[] = [];
  for (const stream of streams.values()) {
    if (stream.deletion !== "delete" || stream.match.length === 0 || !stream.parents.includes(parent.stream)) continue;
    const views = await store.records({
      stream: stream.name,
      states: ["due", "claimed"],
      unbound: true,
      limit: LOOKED_AT,
    });
    const isFull = views.length === LOOKED_AT;
    for (const view of views)
      if ((await isDeleted(stream, view)) && (isFull || (await refersTo(stream, view, parent)))) children.push(view.id);
  }
  return children;
}

async function isDeleted(stream: Stream, { row, deleted }: View): Promise<boolean> {
  const mapped = await stream.map(row, deleted).catch(unmapped);
  return mapped?.kind === "deleted";
}

async function refersTo(stream: Stream, { row }: View, parent: RecordId): Promise<boolean> {
  const fields = await stream.identify(row).catch(unmapped);
  return referencesIn(fields ?? []).some(({ id }) => recordName(id) === recordName(parent));
}

/** A row that cannot be mapped is not looked for either: its record is parked. */
function unmapped(thrown: unknown): undefined {
  if (!(thrown instanceof ParkError)) throw thrown;
}
