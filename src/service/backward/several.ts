import type { JsonObject, ResourceName, ServiceId } from "#model";
import { serviceIdOf } from "../dialect/values.ts";
import type { Lists } from "../reads/lists.ts";
import { isRefusal } from "../transport/failures.ts";

/** The most that a page has. */
const AT_ONCE = 50;

/**
 * Reads several records with one request per 50, by the filter `ids`. Not every list has it, and unknown filters are ignored with the full list
 * as the answer: then the filter is not used again for that resource. Every row names its own id, so no answer is taken for another one's.
 */
export class SeveralReads {
  readonly #lists: Pick<Lists, "page">;
  /** Where the filter does nothing, or is refused. */
  readonly #without = new Set<ResourceName>();

  constructor(lists: Pick<Lists, "page">) {
    this.#lists = lists;
  }

  async read(
    resource: ResourceName,
    ids: readonly ServiceId[],
    fields: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<ServiceId, JsonObject>> {
    const found = new Map<ServiceId, JsonObject>();
    for (let from = 0; from < ids.length && !this.#without.has(resource); from += AT_ONCE) {
      const asked = ids.slice(from, from + AT_ONCE);
      for (const row of await this.#rows(resource, asked, fields, signal)) {
        const id = serviceIdOf(row["id"]);
        if (id !== undefined && asked.includes(id)) found.set(id, row);
        else this.#without.add(resource);
      }
    }
    return found;
  }

  async #rows(
    resource: ResourceName,
    ids: readonly ServiceId[],
    fields: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly JsonObject[]> {
    const query = { fields: ["id", ...fields], filter: { ids: ids.join(",") } };
    try {
      return (await this.#lists.page(resource, query, { limit: AT_ONCE, offset: 0 }, signal)).rows;
    } catch (thrown) {
      if (!isRefusal(thrown)) throw thrown;
      this.#without.add(resource);
      return [];
    }
  }
}
