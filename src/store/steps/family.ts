import { recordName, type RecordId, type RecordState, type ServiceId } from "#model";
import type { Parent, Parents } from "../claim.ts";
import { saveNote } from "../statements/notes.ts";
import {
  addParent,
  findParent,
  forgetParents,
  forgetWaits,
  wakeLater,
  wakeRecord,
  WOKEN_AT_ONCE,
  type ChildRow,
  type FormerParentRow,
  type ParentRow,
} from "../statements/parents.ts";
import type { StatementCall } from "../statements/statement.ts";
import { statesMovedTo } from "../transitions.ts";
import { WAKING, type WokenChildren } from "../waking.ts";

const ASLEEP: { readonly [Who in WokenChildren]: ReadonlySet<RecordState> } = {
  waits: new Set(statesMovedTo("due", "parentBound")),
  parents: new Set(statesMovedTo("due", "parentRebound")),
};

/** Writes, the names of the records that they may change, and the records that they wake, with whether others are still to be woken. */
export interface FamilyChange {
  readonly writes: readonly StatementCall[];
  readonly touches: readonly string[];
  readonly woken?: readonly RecordId[];
  readonly isMore?: boolean;
}

/** The parents without repetitions: one that is named twice has the same id. */
export function distinct(parents: Parents): readonly Parent[] {
  return [...new Map(parents.map((parent) => [recordName(parent), parent])).values()];
}

export function findParents(parents: readonly RecordId[]): readonly StatementCall<ParentRow>[] {
  return distinct(parents).map(({ stream, key }) => findParent({ stream, key }));
}

/** Stores the parents whose service ids the record's projection carries. */
export function setParents(child: number, former: readonly RecordId[], parents: Parents): readonly StatementCall[] {
  const wanted = distinct(parents);
  const names = new Set(former.map(recordName));
  if (wanted.length === names.size && wanted.every((parent) => names.has(recordName(parent)))) return [];
  return [...(former.length > 0 ? [forgetParents({ child })] : []), ...addParents(child, wanted)];
}

/** Adds the parents whose service ids are in a projection that was not written. */
export function addParents(child: number, parents: Parents): readonly StatementCall[] {
  return distinct(parents).map(({ stream, key }) => addParent({ child, stream, key }));
}

/** Whether a projection carries an id that one of the parents no longer has. `own` is the record and its service id after the step. */
export function isOutdated(
  parents: Parents,
  found: readonly ParentRow[],
  own: { readonly id: RecordId; readonly serviceId: ServiceId | null },
): boolean {
  const ids = new Map(found.map((row) => [recordName(row), row.service_id]));
  ids.set(recordName(own.id), own.serviceId);
  return parents.some((parent) => {
    const { serviceId } = parent;
    return serviceId !== undefined && serviceId !== (ids.get(recordName(parent)) ?? null);
  });
}

/**
 * The record stops to be a bound child of its former parents. Makes those due that wait and have no bound child left: their deletion may
 * have waited for the last one.
 */
export function leaveParents(former: readonly FormerParentRow[], now: number): FamilyChange {
  const alone = former.filter(
    ({ id, state, others }) => id !== null && others === 0 && (state === "waiting" || state === "claimed"),
  );
  const asleep = alone.filter(({ state }) => state === "waiting");
  return {
    writes: [
      ...woken(asleep, now),
      ...alone.filter(({ state }) => state === "claimed").map(({ id }) => wakeLater({ record: id ?? 0 })),
    ],
    // Also those that stay as they are: another step may take their last child meanwhile.
    touches: former.map(recordName),
  };
}

/**
 * Wakes these children, and notes that others are to be woken where there are very many. A record that is its own parent is left to the step
 * that changes it.
 */
export function wakeChildren(
  parent: number,
  { who, found }: { readonly who: WokenChildren; readonly found: readonly ChildRow[] },
  now: number,
): FamilyChange {
  const others = found.filter(({ id }) => id !== parent);
  const asleep = others.filter(({ state }) => ASLEEP[who].has(state));
  const claimed = who === "parents" ? others.filter(({ state }) => state === "claimed") : [];
  const last = found.length === WOKEN_AT_ONCE ? found.at(-1) : undefined;
  return {
    writes: [
      ...woken(asleep, now),
      ...claimed.map(({ id }) => wakeLater({ record: id })),
      ...(last === undefined ? [] : [saveNote({ name: `${WAKING[who]}${parent}`, value: String(last.id) })]),
    ],
    touches: others.map(recordName),
    woken: asleep.map(({ stream, key }) => ({ stream, key })),
    isMore: last !== undefined,
  };
}

function woken(records: readonly { readonly id: number | null }[], now: number): readonly StatementCall[] {
  return [
    ...records.map(({ id }) => wakeRecord({ record: id ?? 0, now })),
    ...records.map(({ id }) => forgetWaits({ child: id ?? 0 })),
  ];
}
