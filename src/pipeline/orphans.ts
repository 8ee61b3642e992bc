import { recordLabel, type RecordId, type StreamName } from "#model";
import type { Store } from "#store";

/** Waiting records that are looked at: enough to see what is wrong, whatever their number. */
const LOOKED_AT = 200;

const wontCome = {
  deleted: "which the ERP deleted before the service had it",
  skipped: "which the stream's rules leave out",
  parked: "which is parked",
  uncertain: "which is uncertain",
} as const;

/** Why a record that is waited for will not come by itself; undefined while it may. */
export async function whyItWillNotCome(store: Pick<Store, "record">, parent: RecordId): Promise<string | undefined> {
  const found = await store.record(parent);
  if (!found) return "which the ERP has not shown";
  const { state } = found;
  return state === "deleted" || state === "skipped" || state === "parked" || state === "uncertain"
    ? wontCome[state]
    : undefined;
}

/** A sentence about records of the stream whose parents will not come by themselves, with one example; none: nothing. */
export async function orphanSentence(store: Store, stream: StreamName): Promise<string[]> {
  const waiting = await store.records({ stream, states: ["waiting"], limit: LOOKED_AT });
  let count = 0;
  let example: string | undefined;
  for (const { id, waitsFor } of waiting)
    for (const parent of waitsFor) {
      const why = await whyItWillNotCome(store, parent);
      if (why === undefined) continue;
      count += 1;
      example ??= `${recordLabel(id)} waits for ${recordLabel(parent)}, ${why}`;
      break;
    }
  if (example === undefined) return [];
  const many = waiting.length === LOOKED_AT ? `${count} or more` : String(count);
  return [`${many} records wait for others that do not come by themselves: ${example}`];
}
