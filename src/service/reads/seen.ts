import { RetryError, type JsonObject, type ResourceName } from "#model";
import type { Page } from "./reading.ts";
import { idOf } from "../dialect/values.ts";

/** What one page added to a walk. */
interface Step {
  readonly count: number;
  /** Rows that no earlier page had. */
  readonly fresh: JsonObject[];
  /** True when the first row was seen before: nothing between this page and those before can be missing. */
  readonly beginsKnown: boolean;
  /** True when the page is the one before, row by row, although another was asked for. */
  readonly repeats: boolean;
}

/** The ids that a walk has seen, and the page before. */
export class Seen {
  readonly #resource: ResourceName;
  readonly #ids = new Set<number>();
  #before = "";

  constructor(resource: ResourceName) {
    this.#resource = resource;
  }

  /** @throws {RetryError} E_SERVICE_ANSWER when a row has no usable id. */
  take(page: Page, from: number): Step {
    const ids = page.rows.map((row) => this.#identity(row));
    const signature = ids.join();
    const repeats = from > 0 && ids.length > 1 && signature === this.#before;
    this.#before = signature;
    const beginsKnown = ids[0] !== undefined && this.#ids.has(ids[0]);
    const fresh = page.rows.filter((_, at) => {
      const id = ids[at] ?? 0;
      return !this.#ids.has(id) && this.#ids.add(id);
    });
    return { count: ids.length, fresh, beginsKnown, repeats };
  }

  /** The next page may well be the same one again. */
  forgetPage(): void {
    this.#before = "";
  }

  /** Gives the row its id as a number, however it was spelled: readers may rely on that. */
  #identity(row: JsonObject): number {
    const id = idOf(row["id"]);
    if (id !== undefined) return (row["id"] = id);
    const found = JSON.stringify(row["id"] ?? null);
    throw new RetryError(
      "E_SERVICE_ANSWER",
      `the list of ${this.#resource} has a row with id ${found}, expected a positive whole number below 2^53`,
      { details: { resource: this.#resource } },
    );
  }
}

export function unstable(resource: ResourceName, what: string): RetryError {
  return new RetryError("E_LIST_UNSTABLE", `the list of ${resource} ${what}`, { details: { resource } });
}
