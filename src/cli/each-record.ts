import type { RecordId } from "#model";
import type { RecordView, Store } from "#store";

const PAGE = 500;

/** Every record that the query finds, a page at a time: however many there are, memory stays flat. */
export async function* eachRecord(
  store: Pick<Store, "records">,
  query: Omit<Parameters<Store["records"]>[0], "limit" | "after">,
): AsyncIterable<RecordView> {
  let after: RecordId | undefined;
  for (;;) {
    const page = await store.records({ ...query, ...(after === undefined ? {} : { after }), limit: PAGE });
    yield* page;
    if (page.length < PAGE) return;
    after = page.at(-1)!.id;
  }
}
