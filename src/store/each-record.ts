import type { RecordQuery, RecordStore } from "./contract/index.ts";
import type { RecordView } from "./facts.ts";

type Records = Pick<RecordStore, "records">;
type Query = Omit<RecordQuery, "limit">;

const PAGE = 500;

/** Every record that the query finds, after `after`, a page at a time: however many there are, memory stays flat. */
export async function* eachPage(store: Records, query: Query, limit = PAGE): AsyncGenerator<readonly RecordView[]> {
  let { after } = query;
  for (;;) {
    const page = await store.records({ ...query, after, limit });
    yield page;
    if (page.length < limit) return;
    after = page.at(-1)!.id;
  }
}

/** The same, one after the other. */
export async function* eachRecord(store: Records, query: Query): AsyncGenerator<RecordView> {
  for await (const page of eachPage(store, query)) yield* page;
}
