import { recordLabel, recordName, WaitError, type Projection, type RecordId } from "#model";
import type { Stream } from "#mapping";
import { naturalKeys } from "./natural-key.ts";

/** A create takes about as long. */
const LOOK_AGAIN_MS = 1_000;

/** Natural keys of records that are being created: neither the index nor the service knows them yet. */
export class KeysInFlight {
  readonly #owners = new Map<string, RecordId>();

  /**
   * Keeps the record's natural keys until {@link release}.
   * @throws {WaitError} E_MATCH_TAKEN while another record with the key is being created.
   */
  reserve({ resource, match }: Stream, projection: Projection, self: RecordId): void {
    const unshared = match.filter((rule) => !rule.shared);
    const keys = Object.entries(naturalKeys(unshared, projection)).map(([rule, key]) =>
      [resource, rule, key].join("\u0000"),
    );
    const owner = keys[0] === undefined ? undefined : this.#owners.get(keys[0]);
    if (owner && recordName(owner) !== recordName(self))
      throw new WaitError(
        "E_MATCH_TAKEN",
        `${recordLabel(owner)}, which has the same natural key, is being created in ${resource}`,
        { afterMs: LOOK_AGAIN_MS, details: { owner: recordLabel(owner) } },
      );
    for (const key of keys) if (!this.#owners.has(key)) this.#owners.set(key, self);
  }

  /** The record is bound, or was not created after all. */
  release(self: RecordId): void {
    const name = recordName(self);
    for (const [key, owner] of this.#owners) if (recordName(owner) === name) this.#owners.delete(key);
  }
}
