import type { Actor, RecordId } from "#model";
import { eachRecord, type OperatorStore, type RecordStore } from "#store";
import { retriableStates } from "../state/attention.ts";
import { defineAct } from "./act.ts";

/** Makes a record due again. */
export const retryAct = defineAct({
  name: "retry",
  target: "record",
  needs: "store",
  help: "Retry parked and waiting records: a running daemon does so within seconds, otherwise the next sync",
  input: {},
  audit: "retry",
  wakes: "deliveries",
  run: (systems, { target }, by) => retry(systems, target, by),
  answer: (due, common) => ({ ...common, due }),
  forms: ({ record: { state } }) => (retriableStates.includes(state) ? [{ label: "Try again now" }] : []),
  command: "retry",
});

/** States in which records are tried again. */
export const states = ["parked", "waiting"] as const;

/** One record, the records of a stream, or all; with `code`, only those that met this error. */
export interface RetryInput {
  readonly stream?: string | undefined;
  readonly key?: string | undefined;
  readonly code?: string | undefined;
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
