import { ParkError, recordName, type RecordId, type StreamName } from "#model";
import type { Stream } from "#mapping";
import type { RecordStore, RecordView } from "#store";
import { referencesIn } from "../../wanted/resolver.ts";

/** Due and claimed records to examine per stream. If there are more, a first load is in progress. */
const LOOKED_AT = 1_000;

type View = Pick<RecordView, "id" | "row" | "deleted">;

/**
 * Returns children of a record that the ERP deleted as well and that are still to be looked up in the service, as after the loss of
 * the store. The lookup needs their parent, so the parent must not be deleted first. In a stream with too many unbound records to
 * examine, every deleted record that was examined counts as a child.
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

/** Returns undefined for a row that cannot be mapped: its record is parked and never looked up. */
function unmapped(thrown: unknown): undefined {
  if (!(thrown instanceof ParkError)) throw thrown;
}
