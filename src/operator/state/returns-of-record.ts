import type { ReturnStream } from "#mapping";
import type { RecordId } from "#model";
import type { RecordStore, RecordView, ReturnStore, StoredReturn } from "#store";

type Streams = readonly Pick<ReturnStream, "name" | "resource" | "of">[];

/** What came back for a record of the forward lane: the newest version in each stream of returns that is about it. */
export async function returnsOfRecord(
  returns: Pick<ReturnStore, "latest">,
  streams: Streams,
  { id, binding }: Pick<RecordView, "id" | "binding">,
): Promise<StoredReturn[]> {
  const found: StoredReturn[] = [];
  for (const { name, resource, of } of streams) {
    const subject =
      of === id.stream
        ? id.key
        : binding !== undefined && resource === binding.resource
          ? String(binding.serviceId)
          : undefined;
    const newest = subject === undefined ? undefined : (await returns.latest(name, [subject])).get(subject);
    if (newest !== undefined) found.push(newest);
  }
  return found;
}

/** The record of the forward lane that a return is about; undefined if there is none. */
export async function recordOfReturn(
  store: Pick<RecordStore, "boundTo">,
  streams: Streams,
  { stream, subject, serviceId }: Pick<StoredReturn, "stream" | "subject" | "serviceId">,
): Promise<RecordId | undefined> {
  const { resource, of } = streams.find(({ name }) => name === stream) ?? {};
  if (of !== undefined) return { stream: of, key: subject };
  return resource === undefined || serviceId === undefined ? undefined : store.boundTo({ resource, serviceId });
}
