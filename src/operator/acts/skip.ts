import { counted, oneLine, ParkError, SyncError, type RecordId, type RecordState } from "#model";
import { eachRecord, isAnswerable, type RecordStore } from "#store";
import { defineAct } from "./act.ts";
import { UsageError } from "./command.ts";

/** States in which a person may skip a record. */
const answerable: readonly RecordState[] = ["waiting", "parked", "uncertain"];

export const skipAct = defineAct({
  name: "skip",
  target: "record",
  help: "Leave a record out until the ERP changes it, or all records of a stream with the same error",
  audit: "resolve",
  wakes: "deliveries",
  async run({ store }, { target }, by) {
    try {
      await store.resolve(target, { kind: "skip" }, by);
    } catch (thrown) {
      if (!(thrown instanceof SyncError) || thrown.family !== "park") throw thrown;
      throw new ParkError("E_NOT_RESOLVABLE", thrown.message);
    }
  },
  forms: ({ record: { state } }) =>
    isAnswerable(state) && state !== "skipped"
      ? [{ label: "Leave it out", means: "It is not delivered until the ERP changes it." }]
      : [],
  command: {
    arguments: { "<target>": "one record as stream/key, or a stream with --code" },
    options: [{ flags: "--code <code>", help: "the records of the stream with this error" }],
    /** A record that changed state meanwhile does not stop the others. */
    async run({ store }, [target]: [RecordId | string], { code }: { readonly code?: string }, { by, warn }) {
      const ids = typeof target === "object" ? [target] : await withError(store, target, code);
      let refused = 0;
      for (const id of ids)
        try {
          await store.resolve(id, { kind: "skip" }, by);
        } catch (thrown) {
          if (!(thrown instanceof SyncError) || thrown.family !== "park") throw thrown;
          refused++;
          warn(`${oneLine(thrown.message)} (${thrown.code})\n`);
        }
      const skipped = ids.length - refused;
      const text = `${counted(skipped, "record")} left out until the ERP changes ${skipped === 1 ? "it" : "them"}.\n`;
      return { json: { skipped, refused }, text, needsPerson: refused > 0 || skipped === 0 };
    },
  },
});

/** The records of a stream that met the same error. */
async function withError(store: RecordStore, stream: string, code: string | undefined): Promise<RecordId[]> {
  if (code === undefined)
    throw new UsageError(
      `Give the group with --code, as "svcsync records ${stream}" shows it, or one record as stream/key.`,
    );
  const ids: RecordId[] = [];
  for await (const { id, error } of eachRecord(store, { stream, states: answerable }))
    if (error?.code === code) ids.push(id);
  return ids;
}
