import type { Actor, RecordId, StreamName } from "#model";
import { eachRecord, type GroupStore, type OperatorStore, type RecordStore } from "#store";
import { groupRecords, unknownGroup } from "./group-notes.ts";

const states = ["parked", "waiting"] as const;

/** One record, the records of a stream, or all; with `code`, only those that met this error. */
export interface RetryInput {
  readonly stream?: string | undefined;
  readonly key?: string | undefined;
  readonly code?: string | undefined;
}

/**
 * Makes the records of a group due again, in whichever state they are. Returns how many.
 * @throws {ParkError} E_GROUP_UNKNOWN when no record has this cause.
 */
export async function retryGroup(
  { store }: { readonly store: OperatorStore & { readonly groups: GroupStore } },
  streams: readonly StreamName[],
  group: string,
  by: Actor,
): Promise<number> {
  const ids = await Array.fromAsync(groupRecords({ store }, streams, group), ({ id }) => id);
  if (ids.length === 0) throw unknownGroup(group);
  let count = 0;
  for (const id of ids) count += await store.retryNow({ ...id, states }, by);
  return count;
}

/**
 * Makes parked and waiting records due again, and a named record even if a person skipped it. A running daemon delivers
 * them within seconds. Returns how many.
 */
export async function retry(
  { store }: { readonly store: RecordStore & OperatorStore },
  { stream, key, code }: RetryInput,
  by: Actor,
): Promise<number> {
  if (code === undefined)
    return store.retryNow({ stream, key, states: key === undefined ? states : [...states, "skipped"] }, by);
  const ids: RecordId[] = [];
  for await (const { id, error } of eachRecord(store, { stream, states }))
    if (error?.code === code && (key === undefined || id.key === key)) ids.push(id);
  let count = 0;
  for (const id of ids) count += await store.retryNow({ ...id, states }, by);
  return count;
}
