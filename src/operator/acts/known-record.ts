import { type Binding, ParkError, type RecordId, recordLabel } from "#model";
import type { Stream } from "#mapping";
import type { RecordStore, RecordView } from "#store";

/** @throws {ParkError} E_RECORD_UNKNOWN. */
export async function knownRecord(store: RecordStore, id: RecordId): Promise<RecordView> {
  const view = await store.record(id);
  if (view) return view;
  const message = `${recordLabel(id)} is not in the store: no poll of ${id.stream} has returned this key`;
  throw new ParkError("E_RECORD_UNKNOWN", message);
}

export function labelOf({ resource, serviceId }: Binding): string {
  return `${resource} ${serviceId}`;
}

/**
 * The stream of a record.
 * @throws {ParkError} E_RECORD_UNKNOWN when the sync file has no such stream.
 */
export function knownStream(streams: readonly Stream[], name: string): Stream {
  const stream = streams.find((each) => each.name === name);
  if (stream === undefined) throw new ParkError("E_RECORD_UNKNOWN", `${name} is not in the sync file`);
  return stream;
}
