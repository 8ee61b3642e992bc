import type { RecordQuery, RecordStore } from "./contract/index.ts";
import type { RecordView } from "./facts.ts";

type Records = Pick<RecordStore, "records">;
type Query = Omit<RecordQuery, "limit">;

const PAGE = 500;

/** Yields every record that the query finds after `after`, in pages, so that memory stays flat. */
export async function* eachPage(store: Records, query: Query, limit = PAGE): AsyncGenerator<readonly RecordView[]> {
  let { after } = query;
  for (;;) {
    const page = await store.records({ ...query, after, limit });
    yield page;
    if (page.length < limit) return;
    after = page.at(-1)!.id;
  }
}

/** Like {@link eachPage}, one record at a time. */
export async function* eachRecord(store: Records, query: Query): AsyncGenerator<RecordView> {
  for await (const page of eachPage(store, query)) yield* page;
}
