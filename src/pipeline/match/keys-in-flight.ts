import { recordLabel, recordName, WaitError, type Projection, type RecordId, type ResourceName } from "#model";
import type { Stream } from "#mapping";
import type { Claim, Store } from "#store";
import { unsharedKeys } from "./natural-key.ts";

/** Pause before a record checks again whether its natural key is free: about as long as a create takes. */
const LOOK_AGAIN_MS = 1_000;

/** Natural keys of records that are being created. Neither the index nor the service knows these keys yet. */
export class KeysInFlight {
  readonly #owners = new Map<string, RecordId>();

  /**
   * Reserves the record's natural keys until {@link release}.
   * @throws {WaitError} E_MATCH_TAKEN while another record with the key is being created.
   */
  reserve({ resource, match }: Stream, projection: Projection, self: RecordId): void {
    const keys = keyNames({ resource, match }, projection);
    const owner = keys[0] === undefined ? undefined : this.#owners.get(keys[0]);
    if (owner && recordName(owner) !== recordName(self)) throw beingCreated(resource, owner);
    for (const key of keys) if (!this.#owners.has(key)) this.#owners.set(key, self);
  }

  /** Releases the keys of a record that is bound, or that was not created after all. */
  release({ stream, key }: RecordId): void {
    for (const [name, owner] of this.#owners)
      if (owner.key === key && owner.stream === stream) this.#owners.delete(name);
  }
}

function keyNames({ resource, match }: Pick<Stream, "resource" | "match">, projection: Projection): string[] {
  return unsharedKeys(match, projection).map(([rule, key]) => [resource, rule, key].join("\u0000"));
}

function beingCreated(resource: ResourceName, owner: RecordId): WaitError {
  return new WaitError(
    "E_MATCH_TAKEN",
    `${recordLabel(owner)}, which has the same natural key, is being created in ${resource}`,
    { afterMs: LOOK_AGAIN_MS, details: { owner: recordLabel(owner) } },
  );
}

/**
 * Reserves the natural keys against other replicas while this delivery or its create is open. A lookup that begins afterwards finds
 * what the others created before.
 * @throws {WaitError} E_MATCH_TAKEN while another replica creates a record with the key.
 */
export async function reserveKeys(
  { replicas }: Pick<Store, "replicas">,
  claim: Claim,
  stream: Stream,
  projection: Projection,
): Promise<void> {
  const owner = await replicas.reserve(claim, keyNames(stream, projection));
  if (owner) throw beingCreated(stream.resource, owner);
}
