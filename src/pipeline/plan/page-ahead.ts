import { recordName, type Binding, type RecordId, type Row } from "#model";
import type { Mapped, Stream } from "#mapping";
import type { RecordStore, RecordView } from "#store";
import { referencesIn } from "../deliver/resolver.ts";

/**
 * What the records of a page need, asked for together: their rows are mapped at once, since expressions run in another process,
 * and what they refer to is read at once.
 */
export class PageAhead {
  readonly #store: Pick<RecordStore, "bindings">;
  #mapped: ReadonlyMap<Row, Promise<Mapped>> = new Map();
  #bound: ReadonlyMap<string, Binding | undefined> = new Map();

  constructor(store: Pick<RecordStore, "bindings">) {
    this.#store = store;
  }

  /** The stream as its pages see it: a row of the page is mapped once. */
  streamOf(stream: Stream): Stream {
    return { ...stream, map: (row, deleted) => this.#mapped.get(row) ?? stream.map(row, deleted) };
  }

  /** Takes the place of the last page. */
  async read(views: readonly RecordView[], stream: Stream): Promise<void> {
    this.#mapped = new Map(views.map(({ row, deleted }) => [row, stream.map(row, deleted)]));
    const mapped = await Promise.allSettled(this.#mapped.values());
    const parents = mapped.flatMap((each) =>
      each.status === "fulfilled" && "fields" in each.value ? referencesIn(each.value.fields) : [],
    );
    const ids = new Map(parents.map(({ id }) => [recordName(id), id]));
    const bound = await this.#store.bindings([...ids.values()]);
    this.#bound = new Map([...ids.keys()].map((name) => [name, bound.get(name)]));
  }

  /** As the store's, which is asked for what no record of the page refers to. */
  async bindings(ids: readonly RecordId[]): Promise<ReadonlyMap<string, Binding>> {
    if (!ids.every((id) => this.#bound.has(recordName(id)))) return this.#store.bindings(ids);
    const found = new Map<string, Binding>();
    for (const name of ids.map(recordName)) {
      const binding = this.#bound.get(name);
      if (binding) found.set(name, binding);
    }
    return found;
  }
}
