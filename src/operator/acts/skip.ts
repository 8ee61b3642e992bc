import { errorFacts, ParkError, SyncError, type Actor, type ErrorFacts, type RecordId, type RecordState } from "#model";
import { eachRecord, isAnswerable, type OperatorStore, type RecordStore } from "#store";
import { defineAct } from "./act.ts";

/** Leaves a record out until the ERP changes it. */
export const skipAct = defineAct({
  name: "skip",
  target: "record",
  needs: "store",
  help: "Leave a record out until the ERP changes it",
  input: {},
  audit: "resolve",
  wakes: "deliveries",
  async run({ store }, { target: id }, by) {
    const [first] = (await skip({ store }, id, by)).refused;
    if (first !== undefined) throw new ParkError("E_NOT_RESOLVABLE", first.error.message);
  },
  forms: ({ record: { state } }) =>
    isAnswerable(state) && state !== "skipped"
      ? [{ label: "Leave it out", means: "It is not delivered until the ERP changes it." }]
      : [],
  command: "skip",
});

/** One record, or those of a stream that met the same error. */
export type SkipInput = RecordId | { readonly stream: string; readonly code: string };

export interface Skipped {
  readonly skipped: number;
  /** Records that changed state meanwhile. */
  readonly refused: readonly { readonly id: RecordId; readonly error: ErrorFacts }[];
}

/** States in which a person may skip a record. */
const answerable: readonly RecordState[] = ["waiting", "parked", "uncertain"];

/** Leaves records out until the ERP changes them. A record that changed state meanwhile does not stop the others. */
export async function skip(
  { store }: { readonly store: RecordStore & OperatorStore },
  input: SkipInput,
  by: Actor,
): Promise<Skipped> {
  const ids = "key" in input ? [input] : await groupOf(input, store);
  const refused: { id: RecordId; error: ErrorFacts }[] = [];
  for (const id of ids) {
    try {
      await store.resolve(id, { kind: "skip" }, by);
    } catch (thrown) {
      if (!(thrown instanceof SyncError) || thrown.family !== "park") throw thrown;
      refused.push({ id, error: errorFacts(thrown) });
    }
  }
  return { skipped: ids.length - refused.length, refused };
}

async function groupOf(
  { stream, code }: { readonly stream: string; readonly code: string },
  store: RecordStore,
): Promise<RecordId[]> {
  const ids: RecordId[] = [];
  for await (const { id, error } of eachRecord(store, { stream, states: answerable }))
    if (error?.code === code) ids.push(id);
  return ids;
}
