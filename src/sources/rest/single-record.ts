import { ParkError, splitKey, type Json, type JsonObject, type Key } from "#model";
import { keyOf } from "../wire/stamps/values.ts";
import type { WireTable } from "../wire/table.ts";
import type { WebClient } from "../wire/client/web-client.ts";
import type { RestShape } from "./shape.ts";

/** How long the address of single records is trusted after it showed one, in milliseconds. */
const TRUSTED_MS = 60_000;
/** How many listed records may vouch for the address. The ERP may have deleted one of them just now. */
const WITNESSES = 3;

/** Reads single records of a shape that has a request for one. */
export class SingleRecords {
  readonly #client: WebClient;
  readonly #shape: RestShape;
  readonly #list: Pick<WireTable, "byKey">;
  #shownAt = -Infinity;

  constructor(client: WebClient, shape: RestShape, list: Pick<WireTable, "byKey">) {
    this.#client = client;
    this.#shape = shape;
    this.#list = list;
  }

  /**
   * Returns the record as the API answers it; undefined if the API has none with this key. That is believed only where the same address
   * shows another record that the list has: a disabled module and a misspelt path are answered 404, too.
   * @throws {ParkError} E_SOURCE_NOT_FOUND when it shows none of those.
   */
  async read(key: Key, signal: AbortSignal): Promise<JsonObject | undefined> {
    const row = await this.#shown(key, signal);
    if (row === undefined && performance.now() - this.#shownAt > TRUSTED_MS) await this.#expectAddress(key, signal);
    return row;
  }

  async #shown(key: Key, signal: AbortSignal): Promise<JsonObject | undefined> {
    const answer: Json | undefined = await this.#client.json(this.#shape.one!(key), signal);
    const row = answer === undefined ? undefined : this.#shape.oneRow?.(answer);
    if (row === undefined || keyOf(row, this.#shape.keyFields) !== key) return undefined;
    this.#shownAt = performance.now();
    return row;
  }

  async #expectAddress(key: Key, signal: AbortSignal): Promise<void> {
    const { rows } = await this.#list.byKey({ kind: "all" }, undefined, signal);
    const others = rows.map((row) => row.key).filter((other) => other !== key && fitsAddress(other));
    for (const other of others.slice(0, WITNESSES)) if ((await this.#shown(other, signal)) !== undefined) return;
    if (others.length === 0) return;
    throw new ParkError(
      "E_SOURCE_NOT_FOUND",
      `${this.#shape.name}: the request for one record does not show ${others.slice(0, WITNESSES).join(", ")} (404 or another record), which ` +
        `the list has, so whether the ERP still has ${key} is unknown. Correct \`one\`, or let the module answer single records`,
      { details: { key } },
    );
  }
}

/**
 * Whether a key can be part of an address. An empty part, `.` and `..` would lead elsewhere, and half of a surrogate pair has no
 * encoding.
 */
export function fitsAddress(key: Key): boolean {
  return splitKey(key).every((part) => part !== "" && part !== "." && part !== ".." && part.isWellFormed());
}
