import {
  ParkError,
  recordLabel,
  recordName,
  WaitError,
  type Projection,
  type RecordId,
  type ResourceName,
  type ServiceId,
} from "#model";
import type { Stream } from "#mapping";
import type { RecordView, Store } from "#store";
import { contradiction, heldKeys, type Contradiction } from "./contradiction.ts";
import { naturalKey, ruleName, type KeyRule } from "./natural-key.ts";

/** Pause before a record checks again whether its natural key is free, while the key's owner is about to change. */
const TAKEN_AGAIN_MS = 2_000;

/** What matches a natural key. */
export interface Found {
  /** Records of the service that `wanted` may already be. If there are several, a person has to choose. */
  readonly free: readonly ServiceId[];
  /** ERP records that are bound to a record with this key, if the rule does not allow records to share it. */
  readonly owners: readonly RecordId[];
  /** The rule that found the records. */
  readonly rule: KeyRule | undefined;
  /** What speaks against the only free record, as far as the index knows. */
  readonly contradiction?: Contradiction | undefined;
}

const NOTHING: Found = { free: [], owners: [], rule: undefined };

/** Looks up the natural key of `wanted` in the match index, by the first rule that finds a record that is not bound to another. */
export async function lookUp(
  store: Pick<Store, "matches" | "matchKeys" | "boundTo">,
  resource: ResourceName,
  rules: readonly KeyRule[],
  wanted: Projection,
  self: RecordId,
  /** Records that the index lists although people deleted them. They are ignored. */
  gone: ReadonlySet<ServiceId> = new Set(),
): Promise<Found> {
  let first: Found | undefined;
  for (const rule of rules) {
    const key = naturalKey(rule, wanted);
    if (key === undefined) continue;
    const free: ServiceId[] = [];
    const owners: RecordId[] = [];
    for (const serviceId of await store.matches(resource, ruleName(rule), key)) {
      if (gone.has(serviceId)) continue;
      const owner = await store.boundTo({ resource, serviceId });
      if (!owner || recordName(owner) === recordName(self)) free.push(serviceId);
      else owners.push(owner);
    }
    const [only, ...others] = free;
    if (only !== undefined) {
      const keys = rule === rules[0] || others.length > 0 ? {} : await store.matchKeys(resource, only);
      return { free, owners: [], rule, contradiction: contradiction(rules, rule, wanted, heldKeys(keys)) };
    }
    // Only the first rule that the record has a key for identifies it. Weaker rules merely show a resemblance.
    first ??= { free: [], owners: rule.shared ? [] : owners, rule };
  }
  return first ?? NOTHING;
}

/**
 * The one record of the service that was found; undefined if there is none.
 * @throws {ParkError} E_MATCH_AMBIGUOUS when a person has to choose.
 */
export function theOne(
  { resource }: Pick<Stream, "resource">,
  { free, rule, contradiction: against }: Found,
): ServiceId | undefined {
  if (free.length > 1) throw ambiguous(resource, free);
  if (against) throw ambiguous(resource, free, { ...against, rule });
  return free[0];
}

/**
 * The error when several service records match one natural key, or when a stronger rule contradicts the only one: a person has to
 * choose.
 */
export function ambiguous(
  resource: ResourceName,
  candidates: readonly ServiceId[],
  against?: Contradiction & Pick<Found, "rule">,
): ParkError {
  if (against) {
    const { field, wanted, found, rule } = against;
    const key = rule?.fields.join(", ");
    const text = `${resource} ${candidates.join(", ")} has the same ${key}, but ${field} differs, by which a stronger match rule compares: found ${JSON.stringify(found)} in the service, expected ${JSON.stringify(wanted)} from the ERP`;
    return new ParkError("E_MATCH_AMBIGUOUS", text, { details: { candidates: [...candidates], field, found, wanted } });
  }
  const text = `${candidates.length} records of ${resource} match its natural key: ${candidates.join(", ")}`;
  return new ParkError("E_MATCH_AMBIGUOUS", text, { details: { candidates: [...candidates] } });
}

/**
 * Refuses a create if another ERP record has the same natural key: the service would hold two records that cannot be told apart.
 * @throws {ParkError} E_MATCH_TAKEN naming both.
 * @throws {WaitError} E_MATCH_TAKEN while the other one is about to change.
 */
export async function expectUntaken(
  store: { record(id: RecordId): Promise<Pick<RecordView, "state" | "applied" | "deleted" | "binding"> | undefined> },
  self: RecordId,
  resource: ResourceName,
  wanted: Projection,
  { owners, rule }: Pick<Found, "owners" | "rule">,
): Promise<void> {
  for (const owner of owners) {
    const view = await store.record(owner);
    if (!view?.applied || view.deleted || !rule || naturalKey(rule, view.applied) !== naturalKey(rule, wanted))
      continue;
    const message = `${recordLabel(self)} and ${recordLabel(owner)} have the same natural key (${rule.fields.join(", ")}), and ${resource} ${view.binding?.serviceId} is ${recordLabel(owner)}`;
    const details = { owner: recordLabel(owner), resource, serviceId: view.binding?.serviceId ?? null };
    if (view.state === "due" || view.state === "claimed")
      throw new WaitError("E_MATCH_TAKEN", message, { details, afterMs: TAKEN_AGAIN_MS });
    throw new ParkError("E_MATCH_TAKEN", message, { details });
  }
}
