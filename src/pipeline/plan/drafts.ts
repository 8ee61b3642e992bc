import {
  recordLabel,
  recordName,
  type Json,
  type Projection,
  type RecordId,
  type RecordState,
  type ServiceId,
} from "#model";
import type { MappedValue, Stream } from "#mapping";
import type { Deliverable } from "../decide/knowledge.ts";
import { withoutNulls, type Edited } from "../wanted/difference.ts";
import type { Wanted } from "../wanted/resolver.ts";
import type { PendingIds } from "./pending-ids.ts";
import type { Verdict } from "../approve/verdict.ts";
import type { PlannedField } from "./planned-delivery.ts";

/** The state of a record after the run, by verdict. */
export const stateAfter: Readonly<Record<Verdict, RecordState>> = {
  create: "applied",
  adopt: "applied",
  update: "applied",
  unchanged: "applied",
  delete: "deleted",
  settle: "due",
  park: "parked",
  wait: "waiting",
  skip: "skipped",
};

/** The plan of a record before it becomes a `PlannedDelivery`. */
export interface Draft {
  readonly verdict: Verdict;
  readonly fields?: readonly PlannedField[];
  readonly serviceId?: ServiceId | undefined;
  readonly deletes?: ServiceId | undefined;
  readonly reason?: string;
  readonly applied?: Projection;
  readonly state?: RecordState;
  readonly isBound?: boolean;
}

/** The reason for a record that is found in the service, or that a person bound. */
export const COMPARED = "the record is already in the service; only fields that differ are written";

/** The reason for an update with fields that are only filled: only the run sees whether they still have no value. */
export const FILLED = "fields with own: empty are written only if the service still has no value there";

export const FOUND_DELETED = "it is deleted in the ERP and was found by its natural key";

export const LEFT: Draft = {
  verdict: "unchanged",
  state: "deleted",
  reason: "deleted in the ERP; nothing is written for it",
};

/** Drafts an update, or the fields that a deletion sets. */
export function edit(verdict: "update" | "delete", { projection, change }: Edited, ids: PendingIds): Draft {
  if (!change) return { verdict: "unchanged", applied: projection };
  const fields = Object.entries(change.after).map(([field, after]) => ({
    field,
    before: change.before[field] ?? null,
    after: ids.shown(after),
    ...(field in change.patch.arrays && { isShared: true as const }),
  }));
  return { verdict, fields, applied: projection };
}

/** Returns the fields that a create sends. */
export function allFields(projection: Projection, ids: PendingIds): PlannedField[] {
  return Object.entries<Json>(withoutNulls(projection)).map(([field, value]) => ({ field, after: ids.shown(value) }));
}

/**
 * Returns the projection with the record's own id where it refers to itself: it is created without the id, which is written right
 * after.
 */
export async function withItself(
  view: Deliverable,
  stream: Stream,
  wanted: Wanted,
  ids: PendingIds,
): Promise<Projection> {
  const { projection, parents } = wanted;
  const { id } = view;
  if (!parents.some((parent) => recordName(parent) === recordName(id))) return projection;
  const mapped = await stream.map(view.row, view.deleted);
  const own = mapped.kind === "record" ? mapped.fields.filter(({ value }) => refersTo(value, id)) : [];
  const serviceId = ids.idOf({ newIdOf: recordLabel(id) });
  return { ...projection, ...Object.fromEntries(own.map(({ name }) => [name, serviceId])) };
}

function refersTo(value: MappedValue, { stream, key }: RecordId): boolean {
  return value.kind === "ref" && value.stream === stream && value.key === key;
}
