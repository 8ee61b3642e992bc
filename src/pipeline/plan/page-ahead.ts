import { recordName, type Binding, type RecordId, type Row } from "#model";
import type { Mapped, Stream } from "#mapping";
import type { RecordStore, RecordView } from "#store";
import { referencesIn } from "../wanted/resolver.ts";

/**
 * Gets what the records of a page need in one go: maps all rows together, because expressions run in another process, and reads the
 * bindings of all parents together.
 */
export class PageAhead {
  readonly #store: Pick<RecordStore, "bindings">;
  #mapped: ReadonlyMap<Row, Promise<Mapped>> = new Map();
  #bound: ReadonlyMap<string, Binding | undefined> = new Map();

  constructor(store: Pick<RecordStore, "bindings">) {
    this.#store = store;
  }

  /** Returns the stream with a mapping that reuses the page's results, so that each row of the page is mapped once. */
  streamOf(stream: Stream): Stream {
    return { ...stream, map: (row, deleted) => this.#mapped.get(row) ?? stream.map(row, deleted) };
  }

  /** Reads a page, which replaces the previous one. */
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

  /** Like the store's `bindings`. Asks the store only if an id is not referred to on the page. */
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
