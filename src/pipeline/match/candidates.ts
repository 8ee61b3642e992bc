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
import type { MatchRule } from "#mapping";
import type { RecordView, Store } from "#store";
import { naturalKey, ruleName } from "./natural-key.ts";

/** When the owner of a natural key is about to change, the key may be free soon. */
const TAKEN_AGAIN_MS = 2_000;

/** What matches a natural key. */
export interface Found {
  /** Records of the service that `wanted` may already be; several mean that a person has to choose. */
  readonly free: readonly ServiceId[];
  /** Records of the ERP that already have the key's record, where the rule says that no two may share it. */
  readonly owners: readonly RecordId[];
  /** The rule that found them. */
  readonly rule: MatchRule | undefined;
}

const NOTHING: Found = { free: [], owners: [], rule: undefined };

/** What the match index holds for the natural key of `wanted`, by the first rule that finds a record not bound to another. */
export async function lookUp(
  store: Pick<Store, "matches" | "boundTo">,
  resource: ResourceName,
  rules: readonly MatchRule[],
  wanted: Projection,
  self: RecordId,
  /** Records that the index names and people deleted: they hide nothing. */
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
    if (free.length > 0) return { free, owners: [], rule };
    // Weaker rules than the first one that the record has a key for resemble, they do not identify.
    first ??= { free: [], owners: rule.shared ? [] : owners, rule };
  }
  return first ?? NOTHING;
}

/** Several records in the service match one natural key: a person has to choose. */
export function ambiguous(resource: ResourceName, candidates: readonly ServiceId[]): ParkError {
  const text = `${candidates.length} records of ${resource} match its natural key: ${candidates.join(", ")}`;
  return new ParkError("E_MATCH_AMBIGUOUS", text, { details: { candidates: [...candidates] } });
}

/**
 * Two records of the ERP with one natural key would become two indistinguishable ones of the service.
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
