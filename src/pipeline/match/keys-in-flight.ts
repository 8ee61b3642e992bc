import {
  recordLabel,
  recordName,
  WaitError,
  type Projection,
  type RecordId,
  type RecordState,
  type ResourceName,
} from "#model";
import type { Stream } from "#mapping";
import type { Claim, RecordStore, Store } from "#store";
import { naturalKey, naturalKeys, ruleName, unsharedKeys, type KeyRule } from "./natural-key.ts";

/** Pause before a record checks again whether its natural key is free: about as long as a create takes. */
const LOOK_AGAIN_MS = 1_000;
/** A create that a person has to settle takes longer. */
const PERSON_AGAIN_MS = 60_000;

interface Reserved {
  readonly keys: readonly string[];
  /** `open`: the request has ended, and its result is unknown. */
  create: "not begun" | "under way" | "open";
}

/** Natural keys of records that are being created: neither the index nor the service knows whose they are yet. */
export class KeysInFlight {
  /** By key: several records where it may be shared. */
  readonly #owners = new Map<string, RecordId[]>();
  /** By record. */
  readonly #reserved = new Map<string, Reserved>();

  /**
   * Reserves the record's natural keys until {@link release}.
   * @throws {WaitError} E_MATCH_TAKEN while another record with the key is being created.
   */
  reserve(stream: Stream, projection: Projection, self: RecordId): void {
    const owner = this.owner(stream, projection, self);
    if (owner) throw beingCreated(stream.resource, owner, "claimed");
    this.release(self);
    const keys = Object.entries(naturalKeys(stream.match, projection)).map((key) => keyName(stream.resource, key));
    for (const key of keys) {
      const owners = this.#owners.get(key);
      if (owners) owners.push(self);
      else this.#owners.set(key, [self]);
    }
    this.#reserved.set(recordName(self), { keys, create: "not begun" });
  }

  /** The record is bound, or was not created after all. */
  release(id: RecordId): void {
    const name = recordName(id);
    for (const key of this.#reserved.get(name)?.keys ?? []) {
      const others = this.#owners.get(key)?.filter((owner) => recordName(owner) !== name) ?? [];
      if (others.length > 0) this.#owners.set(key, others);
      else this.#owners.delete(key);
    }
    this.#reserved.delete(name);
  }

  /** How far the create of a record is whose keys are reserved. */
  note(id: RecordId, create: Reserved["create"]): void {
    const reserved = this.#reserved.get(recordName(id));
    if (reserved) reserved.create = create;
  }

  /** Another record that is being created with the natural key that identifies this one. */
  owner({ resource, match }: Stream, projection: Projection, self: RecordId): RecordId | undefined {
    const [first] = unsharedKeys(match, projection);
    return first && this.#others(keyName(resource, first), self)[0];
  }

  /**
   * Another record whose create may have made what the rule finds for this one: by some rules records only resemble each other. With
   * `underWay` one whose request has not ended.
   */
  maker(resource: ResourceName, rule: KeyRule, projection: Projection, self: RecordId, underWay = false) {
    const key = naturalKey(rule, projection);
    const others = key === undefined ? [] : this.#others(keyName(resource, [ruleName(rule), key]), self);
    return others.find((id) => {
      const create = this.#reserved.get(recordName(id))?.create;
      return create === "under way" || (create === "open" && !underWay);
    });
  }

  #others(key: string, self: RecordId): readonly RecordId[] {
    return this.#owners.get(key)?.filter((owner) => recordName(owner) !== recordName(self)) ?? [];
  }
}

function keyName(resource: ResourceName, [rule, key]: readonly [string, string]): string {
  return [resource, rule, key].join("\u0000");
}

function beingCreated(resource: ResourceName, owner: RecordId, state: RecordState): WaitError {
  const isPersons = state === "uncertain" || state === "parked";
  const what = isPersons ? "waits for a person to settle its create" : "is being created";
  const message = `${recordLabel(owner)}, which has the same natural key, ${what} in ${resource}`;
  const afterMs = isPersons ? PERSON_AGAIN_MS : LOOK_AGAIN_MS;
  return new WaitError("E_MATCH_TAKEN", message, { afterMs, details: { owner: recordLabel(owner) } });
}

/**
 * The other record's create must have ended, or a person have left it out.
 * @throws {WaitError} E_MATCH_TAKEN while it is open.
 */
export async function expectEnded(store: RecordStore, resource: ResourceName, owner: RecordId): Promise<void> {
  const { state, intent } = (await store.record(owner)) ?? {};
  if (state === "claimed" || (state !== undefined && state !== "skipped" && intent))
    throw beingCreated(resource, owner, state);
}

/**
 * Keeps the natural keys from other processes as long as this delivery or its create is open. What they created before is found by a
 * look that begins afterwards.
 * @returns another process's record with the key whose create is open.
 */
export function reserveKeys(
  { cluster }: Pick<Store, "cluster">,
  claim: Claim,
  { resource, match }: Stream,
  projection: Projection,
): Promise<RecordId | undefined> {
  return cluster.reserve(
    claim,
    unsharedKeys(match, projection).map((key) => keyName(resource, key)),
  );
}
