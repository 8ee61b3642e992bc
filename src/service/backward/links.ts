import type { JsonObject, ResourceName } from "#model";
import { serviceIdOf } from "../dialect/values.ts";
import type { Lists } from "../reads/lists.ts";
import type { Records } from "../reads/records.ts";
import type { LinkTo } from "./queries.ts";

const OPEN = { status: "open" };

/** Finds records by what they link to, where no filter does that: every row is compared. */
export class LinkReads {
  readonly #lists: Pick<Lists, "pages">;
  readonly #records: Pick<Records, "read">;

  constructor(lists: Pick<Lists, "pages">, records: Pick<Records, "read">) {
    this.#lists = lists;
    this.#records = records;
  }

  /**
   * The record of `resource` that links to `to`; undefined if there is none. An invoice is looked for among those of the same ticket and the open
   * ones; without a ticket, among all.
   */
  async find(
    resource: ResourceName,
    to: LinkTo,
    fields: readonly string[],
    signal: AbortSignal,
  ): Promise<JsonObject | undefined> {
    for (const filter of await this.#filters(resource, to, signal)) {
      const query = { fields: [...fields, to.of], filter };
      for await (const rows of this.#lists.pages(resource, query, signal)) {
        const found = rows.find((row) => serviceIdOf(row[to.of]) === to.id);
        if (found !== undefined) return found;
      }
    }
    return undefined;
  }

  /** The narrowest question first. */
  async #filters(resource: ResourceName, { of, id }: LinkTo, signal: AbortSignal) {
    if (resource !== "invoice" || of !== "svcDocument") return [{}];
    const ticket = serviceIdOf((await this.#records.read(of, id, ["ticket"], signal))?.["ticket"]);
    return ticket === undefined ? [OPEN, {}] : [{ ticketIds: String(ticket) }, OPEN];
  }
}
