import type { JsonObject } from "#model";
import { jsonText } from "../../../../src/sources/wire/stamps/values.ts";

/** The rows of one entity set, as the product's users write them. */
export class Table {
  readonly #rows = new Map<string, JsonObject>();
  readonly #hidden = new Set<string>();
  readonly #key: string;
  #list: readonly JsonObject[] | undefined;

  constructor(key: string) {
    this.#key = key;
  }

  /** What the user of the API may see; the same array as long as nothing changed. */
  list(): readonly JsonObject[] {
    this.#list ??= [...this.#rows].filter(([key]) => !this.#hidden.has(key)).map(([, row]) => row);
    return this.#list;
  }

  get(key: string): JsonObject {
    const row = this.#rows.get(key);
    if (row === undefined) throw new Error(`there is no row ${key}`);
    return row;
  }

  /** Adds a row, or replaces the one with its key. */
  put(row: JsonObject): void {
    this.#rows.set(jsonText(row[this.#key]), row);
    this.#list = undefined;
  }

  edit(key: string, fields: JsonObject): void {
    this.put({ ...this.get(key), ...fields });
  }

  remove(key: string): void {
    this.#rows.delete(key);
    this.#list = undefined;
  }

  /** An access rule that hides rows from the user of the API. */
  hide(...keys: string[]): void {
    for (const key of keys) this.#hidden.add(key);
    this.#list = undefined;
  }

  show(): void {
    this.#hidden.clear();
    this.#list = undefined;
  }
}
