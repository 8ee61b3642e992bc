import type { RecordStore, RecordView } from "#store";

const PAGE = 500;

/** Every record that the query finds, after `after`, a page at a time: however many there are, memory stays flat. */
export async function* eachRecord(
  store: Pick<RecordStore, "records">,
  query: Omit<Parameters<RecordStore["records"]>[0], "limit">,
): AsyncIterable<RecordView> {
  let { after } = query;
  for (;;) {
    const page = await store.records({ ...query, ...(after === undefined ? {} : { after }), limit: PAGE });
    yield* page;
    if (page.length < PAGE) return;
    after = page.at(-1)!.id;
  }
}
